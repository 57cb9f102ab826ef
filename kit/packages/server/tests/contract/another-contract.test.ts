import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import request from 'supertest';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { postJson } from '@contract-kit/test-support/serve-operation';
import { serveNotes } from '@contract-kit/test-support/serve-text';
import { until } from '@contract-kit/test-support/until';

describe('requests of another contract', () => {
  test('a public operation needs no credentials, and its body is not read', async () => {
    await using notes = await serveNotes({
      listNotes: ({ body }, reply) => reply(200, { counts: [], free: { body: typeof body } }),
    });
    const sent = request(notes.server).get('/notes').set('Content-Type', 'text/x').send('x');
    await sent.expect(200, '{"counts":[],"free":{"body":"undefined"}}');
  });

  test('HEAD is the GET without its body: its handler, its check of the reply, its length', async () => {
    await using notes = await serveNotes({ listNotes: ({ query }, reply) => reply(200, { counts: [], free: query }) });
    const { headers } = await request(notes.server).get('/notes').expect(200);
    const head = await request(notes.server).head('/notes').expect(200);
    expect(head.headers).toMatchObject({
      'content-length': headers['content-length'],
      'content-type': headers['content-type'],
    });
    await request(notes.server).head('/notes?no=1').expect(400);
    expect(notes.outcomes.map(({ method, operation }) => [method, operation]).slice(1)).toEqual([
      ['HEAD', 'listNotes'],
      ['HEAD', 'listNotes'],
    ]);
  });

  test('another operation of the same path needs them', async () => {
    await using notes = await serveNotes({ putNotes: (_, reply) => reply(204) });
    await request(notes.server).put('/notes').send({}).expect(401);
    const reply = await request(notes.server).put('/notes').auth('a', { type: 'bearer' }).send({}).expect(204, '');
    // RFC 9110 section 8.6
    expect(reply.headers).not.toHaveProperty('content-length');
    const refusal = await request(notes.server).delete('/notes').expect(405);
    expect(refusal.headers['allow']).toBe('GET, HEAD, PUT');
  });

  test('the title of the contract is the realm, without what a challenge cannot hold', async () => {
    await using notes = await serveNotes({});
    const refusal = await request(notes.server).put('/notes').expect(401);
    expect(refusal.headers['www-authenticate']).toBe('Bearer realm="Notes"');
  });

  test('credentials that are no alternative to none do not hurt, and a body that is not required may be missing', async () => {
    const seen: unknown[] = [];
    const maybeNote: UntypedHandler = ({ body }, reply) => (seen.push(body), reply(200, {}));
    await using notes = await serveNotes({ maybeNote }, () => false);
    await request(notes.server).post('/maybe').expect(200);
    await request(notes.server).post('/maybe').set('Content-Type', 'text/x').auth('a', { type: 'bearer' }).expect(200);
    await postJson(notes, { number: 5, numbers: [1, 2], below: [{ number: null }, 4] }, '/maybe').expect(400);
    await postJson(notes, { numbers: [1], below: [{ number: null }] }, '/maybe').expect(200);
    expect(seen).toEqual([undefined, undefined, { number: 7n, numbers: [1n], below: [{ number: null }] }]);
  });
});

test('a client that is gone before its body is wanted is reported', async () => {
  const verified = Promise.withResolvers<boolean>();
  await using notes = await serveNotes({}, () => verified.promise);
  const socket = connect(notes.port, '127.0.0.1');
  const serverSide = once(notes.server, 'request') as Promise<[IncomingMessage]>;
  const headers = 'Host: a\r\nAuthorization: Bearer a\r\nContent-Type: application/json\r\nContent-Length: 9';
  socket.write(`PUT /notes HTTP/1.1\r\n${headers}\r\n\r\n`);
  const [req] = await serverSide;
  socket.resetAndDestroy();
  await new Promise((resolve) => req.once('close', resolve));
  verified.resolve(true);
  await until(() => notes.outcomes.length > 0);
  expect(notes.outcomes).toMatchObject([{ operation: 'putNotes', status: 499, refusal: undefined, isAborted: true }]);
});

const throwing = (cause: unknown) => (): never => {
  throw cause as Error;
};

describe('a verifier that fails', () => {
  const away = new Error('ldap://secret is away');
  test.each<[string, unknown, () => Promise<boolean>]>([
    ['by rejecting', away, () => Promise.reject(away)],
    ['by failing with nothing', undefined, throwing(undefined)],
    ['by throwing', away, throwing(away)],
  ])('503 that says nothing, %s', async (_, cause, verify) => {
    await using notes = await serveNotes({ putNotes: (_request, reply) => reply(204) }, verify);
    const refusal = await request(notes.server).put('/notes').auth('a', { type: 'bearer' }).send({}).expect(503);
    expect(refusal.headers['retry-after']).toBe('1');
    expect(refusal.text).not.toContain('secret');
    expect(notes.outcomes[0]).toMatchObject({ status: 503 });
    expect(notes.outcomes[0]?.refusal?.cause).toBe(cause);
  });
});

describe('replies of another contract', () => {
  test('what the contract leaves open goes out as it is', async () => {
    const free = Object.assign(Object.create(null) as object, { list: [['a', 1, null]], map: { deep: { b: true } } });
    await using notes = await serveNotes({ listNotes: (_request, reply) => reply(200, { counts: [-1n], free }) });
    const text = '{"counts":[-1],"free":{"list":[["a",1,null]],"map":{"deep":{"b":true}}}}';
    await request(notes.server).get('/notes').expect(200, text);
  });

  test('a reply is checked when it is made, so that a handler can undo its work', async () => {
    const undone: unknown[] = [];
    await using notes = await serveNotes({
      listNotes(_, reply) {
        try {
          return reply(200, { counts: 'x' });
        } catch (error) {
          undone.push((error as Error).message);
          throw error;
        }
      },
    });
    await request(notes.server).get('/notes').expect(500);
    expect(undone).toEqual([expect.stringContaining('/response/body/counts must be array')]);
  });

  test('what is sent is what the reply was when it was made', async () => {
    await using notes = await serveNotes({
      listNotes(_, reply) {
        const body = { counts: [1n] as unknown[] };
        const made = reply(200, body);
        body.counts.push('secret');
        return made;
      },
    });
    expect((await request(notes.server).get('/notes')).text).toBe('{"counts":[1]}');
  });

  test.each([
    ['an object of its own', { status: 200, body: { counts: [1n] }, headers: {} }, 200],
    ['a wrong one', { status: 200, body: { counts: 'x' }, headers: {} }, 500],
    ['nothing', undefined, 500],
  ])('%s, returned by a handler in JavaScript, is checked, too', async (_, returned, status) => {
    await using notes = await serveNotes({ listNotes: () => Promise.resolve(returned as never) });
    await request(notes.server).get('/notes').expect(status);
  });
});
