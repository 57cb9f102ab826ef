import { readFileSync } from 'node:fs';
import express from 'express';
import request from 'supertest';
import { serveContract } from '../../src/pipeline/serve-contract';
import { createLog } from '../../src/runtime/log';
import { createSynchronously, createExistingApp } from '../existing-app';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { behind, postThing, startExisting, TOKEN, type ThingsApp } from '@contract-kit/test-support/start-things';

const ROSE = '{"id":1,"name":"Rose"}';
const HUGE = '{"id":9007199254740993,"name":"Rose"}';
const JSON_TYPE = 'application/json';

const idsOf = (app: ThingsApp): bigint[] => app.rows().map(({ id }) => id);

/** A parser that reads the body, and has this to show for it. */
const setBody =
  (body: unknown): express.RequestHandler =>
  (req, _res, next) => {
    if (body !== undefined) req.body = body;
    req.resume().once('end', next);
  };

describe('in an application that exists', () => {
  test('operations and other routes are served, each with an id and one line in the log', async () => {
    await using app = await startExisting(createExistingApp);
    const other = await request(app.server).get('/other').expect(200, { other: true });
    const thing = await postThing(app.server, ROSE).expect(200, '{"name":"Rose"}');
    const unknown = await request(app.server).get('/nothing').expect(404);
    await app[Symbol.asyncDispose]();
    const ids: unknown[] = [other, thing, unknown].map(({ headers }) => headers['x-request-id']);
    expect(app.outcomes.map(({ id }) => id)).toEqual(ids);
    expect(app.outcomes.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(app.outcomes.map(({ operation }) => operation)).toEqual([undefined, 'createThing', undefined]);
    for (const { id } of app.outcomes) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('without a report, its log has one line for each request, with the cause of a failure', async () => {
    const lines: string[] = [];
    const handlers = {
      createThing: () => {
        throw new Error('a bug');
      },
    };
    const log = createLog('info', { write: (line) => lines.push(line) });
    await using app = await startExisting(createExistingApp, { log, report: undefined, handlers });
    await request(app.server).get('/other').expect(200);
    await postThing(app.server, ROSE).expect(500);
    await app[Symbol.asyncDispose]();
    const [other, thing, ...more] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(more).toEqual([]);
    expect(other).toMatchObject({ method: 'GET', status: 200, msg: 'request' });
    expect(thing).toMatchObject({ operation: 'createThing', status: 500, level: 50 });
    expect(thing?.['cause']).toContain('Error: a bug\n');
  });

  test('an application that is created synchronously serves its operations, by the lines in the README', async () => {
    await using app = await startExisting(createSynchronously);
    await postThing(app.server, ROSE).expect(200, '{"name":"Rose"}');
    const code = readFileSync('packages/server/tests/existing-app.ts', 'utf8');
    const [lines = ''] = /^ {2}const operations = .*\n.*$/m.exec(code) ?? [];
    expect(readFileSync('packages/server/README.md', 'utf8')).toContain(lines.replaceAll(/^ {2}/gm, ''));
  });

  test('an int64 is exact, and a body is what was sent, because its bytes are kept', async () => {
    await using app = await startExisting(createExistingApp);
    await postThing(app.server, HUGE).expect(200);
    await postThing(app.server, '{"id":1.0000000000000000001,"name":"Rose"}').expect(400);
    await postThing(app.server, Buffer.from('{"id":1,"name":"\xff"}', 'latin1')).expect(400);
    await postThing(app.server, '{"id":2,"name":"\ufffd"}').expect(200);
    expect(idsOf(app)).toEqual([9_007_199_254_740_993n, 2n]);
  });

  test('what its parser refuses has the shape of the contract, too', async () => {
    await using app = await startExisting(createExistingApp);
    const { headers, text } = await postThing(app.server, '{"id":').expect(400);
    expect(headers['content-type']).toBe(JSON_TYPE);
    expect(JSON.parse(text)).toEqual({ error: 40008, message: 'The request body is not well-formed JSON.' });
    await app[Symbol.asyncDispose]();
    expect(app.outcomes).toMatchObject([{ status: 400, refusal: { kind: 'MALFORMED_JSON' } }]);
  });

  test('below a path', async () => {
    await using app = await startExisting(async (options) => express().use('/api/v1', await serveContract(options)));
    const sent = request(app.server).post('/api/v1/things').auth(TOKEN, { type: 'bearer' });
    await sent.send({ id: 1, name: 'Rose' }).expect(200);
    await request(app.server).post('/api/v1/nothing').expect(404).expect('Content-Type', JSON_TYPE);
  });

  test('a client that waits to be told to go on is told so once', async () => {
    await using app = await startExisting(behind());
    const head = `POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: ${JSON_TYPE}\r\n`;
    const rest = `Content-Length: ${String(ROSE.length)}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n${ROSE}`;
    const replies = await sendRaw(app.port, head + rest);
    expect(replies.map(({ status }) => status)).toEqual([100, 200]);
  });
});

describe('behind a parser that keeps no bytes', () => {
  test('a body is served as far as the parser cannot have changed it', async () => {
    await using app = await startExisting(behind(express.json()));
    await postThing(app.server, '{"id":9007199254740991,"name":"R\\u00f6se 🌹"}').expect(200, '{"name":"Röse 🌹"}');
    await postThing(app.server, '{"id":1.0,"name":"Rose"}').expect(200);
    await postThing(app.server, '{"id":1.0000000000000000001,"name":"Rose"}').expect(200);
    await postThing(app.server, '{"id":1.5,"name":"Rose"}').expect(400);
    await postThing(app.server, '{"id":1,"name":"\\ud800"}').expect(400);
    await postThing(app.server, '{"name":"Rose"}').expect(400);
    await postThing(app.server, JSON.stringify({ id: 1, name: 'x'.repeat(10_000) })).expect(400);
    expect(idsOf(app)).toEqual([9_007_199_254_740_991n, 1n, 1n]);
    const kinds = app.outcomes.map(({ refusal }) => refusal?.kind).slice(3);
    expect(kinds).toEqual(['INVALID_BODY', 'MALFORMED_JSON', 'INVALID_BODY', 'BODY_TOO_LARGE']);
  });

  test.each<[string, express.RequestHandler, string | Buffer]>([
    ['an int64 that it may have rounded', express.json(), HUGE],
    ['one that is negative', express.json(), '{"id":-9007199254740993,"name":"Rose"}'],
    ['text that it may have replaced', express.json(), Buffer.from('{"id":1,"name":"\xff"}', 'latin1')],
    ['text', express.text({ type: JSON_TYPE }), ROSE],
    ['a body that it threw away', setBody(undefined), ROSE],
  ])('%s: 500, nothing is done, and the log says what to do', async (_, parser, body) => {
    await using app = await startExisting(behind(parser));
    const { text } = await postThing(app.server, body).expect(500);
    expect(text).not.toContain('parser');
    expect(idsOf(app)).toEqual([]);
    await app[Symbol.asyncDispose]();
    const message = expect.stringContaining('express.json({ verify: keepRawBody })') as string;
    expect(app.outcomes).toMatchObject([{ status: 500, refusal: { cause: { message } } }]);
  });

  test('the bytes that express.raw() reads are as good as any', async () => {
    await using app = await startExisting(behind(express.raw({ type: JSON_TYPE })));
    await postThing(app.server, HUGE).expect(200);
    expect(idsOf(app)).toEqual([9_007_199_254_740_993n]);
  });

  test('one that is larger than the limit once it is written is the fault of the request', async () => {
    await using app = await startExisting(behind(setBody({ id: 1, name: 'x'.repeat(10_000) })));
    expect((await postThing(app.server, ROSE)).status).toBe(400);
  });

  test('what is not JSON at all is the fault of the parser', async () => {
    await using app = await startExisting(behind(setBody(1n)));
    expect((await postThing(app.server, ROSE)).status).toBe(500);
  });
});
