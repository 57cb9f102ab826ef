import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import compression from 'compression';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import helmet from 'helmet';
import type request from 'supertest';
import { renderFixture } from '@contract-kit/test-support/fixture-errors';
import { loadText } from '@contract-kit/test-support/load-text';
import { openClient } from '@contract-kit/test-support/send-raw';
import { serveApp } from '@contract-kit/test-support/serve-app';
import { contractWith, postJson } from '@contract-kit/test-support/serve-operation';
import { behind, startExisting } from '@contract-kit/test-support/start-things';
import { readTable } from '@contract-kit/test-support/walk-page';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { keepRawBody } from '../../src/request/read-request';

const responses =
  "'200': { description: Kept., content: { application/json: {}, text/csv: {} } }, '204': { description: None. }, '304': { description: Same. }";
const contract = loadText(contractWith({ body: '{}', responses }));
const ROSE = { name: 'Rose' };

/** Replies with the body, or with a stream if it is null. */
const a: UntypedHandler = ({ body }, reply) =>
  body === null ? reply(200, Readable.from(['Rose']), { 'Content-Type': 'text/csv' }) : reply(200, body);

/** The reply to a body, behind middleware. */
async function send(before: readonly RequestHandler[], body: unknown = ROSE): Promise<request.Response> {
  await using app = await startExisting(behind(...before), { contract, handlers: { a }, verifiers: {} });
  return await postJson(app, body);
}

/** Middleware that goes on at once. */
const first =
  (act: (...args: Parameters<RequestHandler>) => unknown): RequestHandler =>
  (req, res, next) => {
    act(req, res, next);
    next();
  };

/** Whether the reply comes through a method of the response. */
async function wraps(method: 'send' | 'json' | 'end' | 'write' | 'writeHead', body: unknown = ROSE): Promise<boolean> {
  const calls: unknown[] = [];
  const wrap = first((_req, res) => {
    const original = res[method].bind(res) as (...args: unknown[]) => never;
    res[method] = (...args: unknown[]) => {
      calls.push(args);
      return original(...args);
    };
  });
  const { status } = await send([wrap], body);
  return calls.length > 0 && status === 200;
}

const onHeaders = jest.requireActual<(res: ServerResponse, listener: () => void) => void>('on-headers-1.0');

/** Whether middleware that waits for the head with on-headers 1.0 finds all headers, and its own are sent. */
async function keepsOnHeaders(): Promise<boolean> {
  const wait = first((_req, res) => {
    onHeaders(res.vary('A').cookie('a', 'b'), () => res.set('X-Type', res.get('Content-Type')));
  });
  const { status, headers } = await send([wait]);
  const found = ['x-type', 'content-type', 'vary', 'set-cookie', 'x-content-type-options'].map((name) =>
    String(headers[name]),
  );
  return status === 200 && found.join() === 'application/json,application/json,A,a=b; Path=/,nosniff';
}

/** Whether each piece of middleware does to a reply of the kit what it does to one of Express. */
const TRIALS: Readonly<Record<string, () => Promise<boolean>>> = {
  'sets headers': async () => (await send([first((_req, res) => res.set('X-Own', 'a'))])).headers['x-own'] === 'a',
  'replies itself': async () => (await send([(_req, res) => void res.status(402).send('pay')])).text === 'pay',
  'calls `next(error)`': async () => {
    const refuse: RequestHandler = (_req, _res, next) => {
      next(Object.assign(new Error('Later, please.'), { status: 503, expose: true }));
    };
    return (await send([refuse])).text.includes('Later, please.');
  },
  'reads `res.locals` that other middleware set': async () => {
    const seen: unknown[] = [];
    await send([first((_req, res) => (res.locals['a'] = 1)), first((_req, { locals }) => seen.push(locals['a']))]);
    return seen[0] === 1;
  },
  "waits for `res.on('finish')`": async () => {
    const statuses: number[] = [];
    await send([first((_req, res) => res.on('finish', () => statuses.push(res.statusCode)))]);
    return statuses[0] === 200;
  },
  'wraps `res.writeHead`, `res.write` or `res.end`': async () =>
    (await wraps('writeHead')) && (await wraps('write', null)) && (await wraps('end')) && keepsOnHeaders(),
  'is `compression`': async () => (await send([compression({ threshold: 0 })])).headers['content-encoding'] === 'gzip',
  'is `express-session`': async () => {
    const keep = session({ secret: 'a', resave: false, saveUninitialized: true });
    return String((await send([keep])).headers['set-cookie']).startsWith('connect.sid=');
  },
  'replaces `req.body`': async () => {
    const replace = first((req) => (req.body = { name: 'Ivy' }));
    expect((await send([express.json({ verify: keepRawBody }), replace])).text).toBe('{"name":"Rose"}');
    return (await send([express.json(), replace])).text === '{"name":"Ivy"}';
  },
  'wraps `res.send` or `res.json`': async () => (await wraps('send')) || wraps('json'),
  'sets `res.statusCode`': async () => (await send([first((_req, res) => res.status(202))])).status === 202,
};

const rows = readTable('packages/server/README.md', 'Your own middleware').slice(1);

test('the table of middleware in the README has a row for each trial', () => {
  expect(rows.map(([name]) => name)).toEqual(Object.keys(TRIALS));
});

test.each(rows)('middleware that %s: %s', async (name = '', outcome = '') => {
  expect(await TRIALS[name]?.()).toBe(outcome.startsWith('works'));
});

const members = 'parameters: [{ name: how, in: query, required: true, schema: { type: string } }]';
const ofGet = loadText(contractWith({ method: 'get', members, responses }));
const answer: UntypedHandler = ({ query }, reply) => {
  const { how } = query as Readonly<{ how: string }>;
  if (how === 'json') return reply(200, ROSE);
  // A stream must not yield a number, so it fails.
  const stream = Readable.from(how === 'stream' ? ['Rose'] : ['Rose', 1]);
  return Number(how) ? reply(Number(how)) : reply(200, stream, { 'Content-Type': 'text/csv' });
};
const parts = { contract: ofGet, handlers: { a: answer }, verifiers: {}, render: renderFixture };
const before = [
  helmet(),
  session({ secret: 'a', resave: false, saveUninitialized: true }),
  compression({ threshold: 0 }),
];

test.each([
  ['an existing application', () => startExisting(behind(...before), parts)],
  ["the kit's own server", () => serveApp({ ...parts, before })],
])(
  'through `compression`, a reply of %s is framed, or cut if it fails, and its connection goes on',
  async (_, start) => {
    await using app = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    async function ask(how: string, method = 'GET'): Promise<unknown[]> {
      const sent = get(new URL(`/a?how=${how}`, app.base), { agent, method, headers: { 'Accept-Encoding': 'gzip' } });
      const [reply] = (await once(sent, 'response')) as [IncomingMessage];
      const [{ 'transfer-encoding': coding, 'content-length': length }, bytes] = [reply.headers, await buffer(reply)];
      return [coding ?? length, bytes.length && String(gunzipSync(bytes)), sent.reusedSocket];
    }
    expect(await ask('json')).toEqual(['chunked', '{"name":"Rose"}', false]);
    expect(await ask('json', 'HEAD')).toEqual(['15', 0, true]);
    expect(await ask('stream')).toEqual(['chunked', 'Rose', true]);
    for (const [how, method] of [['204'], ['304'], ['stream', 'HEAD']] as const)
      expect(await ask(how, method)).toEqual([undefined, 0, true]);
    await expect(ask('broken')).rejects.toThrow('aborted');
    agent.destroy();
    const old = openClient(app.port);
    old.socket.write('GET /a?how=json HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n');
    await old.closed;
    expect(old.received).toMatch(/^(?![^]*chunked)[^]*\r\nContent-Encoding: gzip\r\n[^]*Connection: close\r\n/);
  },
);
