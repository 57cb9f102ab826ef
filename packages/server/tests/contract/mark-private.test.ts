import express from 'express';
import request from 'supertest';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { serveText, type Served } from '../../../../tests/support/serve-text';

const FAILURE = '{ description: No., content: { application/json: { schema: { type: object } } } }';
const FAILURES = ['400', '401', '500', '503'].map((status) => `'${status}': ${FAILURE}`).join(', ');
const DECLARED = '{ description: Done., headers: { cache-control: { schema: { type: string } } } }';

function serve(security: string, handler: UntypedHandler, ok = '{ description: Done. }'): Promise<Served> {
  const source = `openapi: 3.1.0
info: { title: Keys, version: 1.0.0 }
paths:
  /a:
    get:
      operationId: a
      security: ${security}
      responses: { '200': ${ok}, '204': { description: Done. }, ${FAILURES} }
components:
  securitySchemes:
    query: { type: apiKey, in: query, name: key }
    header: { type: apiKey, in: header, name: Key }
    cookie: { type: apiKey, in: cookie, name: key }
    bearer: { type: http, scheme: bearer }
`;
  const verify = (key: string): object | undefined => (key === 'right' ? {} : undefined);
  const verifiers = { query: verify, header: verify, cookie: verify, bearer: verify };
  return serveText(source, { a: handler }, verifiers);
}

const ALL = '[{ query: [] }, { header: [] }, { cookie: [] }, { bearer: [] }, {}]';

test.each<[string, string, Record<string, string>, string | undefined]>([
  ['a key in the query', '?key=right', {}, 'private'],
  ['a key in a header', '', { Key: 'right' }, 'private'],
  ['a key in a cookie', '', { Cookie: 'key=right' }, 'private'],
  ['a bearer token', '', { Authorization: 'Bearer right' }, undefined],
  ['no credentials', '', {}, undefined],
])('the Cache-Control of a reply to %s: %s %j %s', async (_, query, headers, expected) => {
  await using served = await serve(ALL, (_request, reply) => reply(204));
  const reply = await request(served.server).get(`/a${query}`).set(headers).expect(204);
  expect(reply.headers['cache-control']).toBe(expected);
});

test('so is the Cache-Control of a refusal', async () => {
  await using served = await serve('[{ query: [] }]', (_, reply) => reply(204));
  const reply = await request(served.server).get('/a?key=wrong').expect(401);
  expect(reply.headers['cache-control']).toBe('private');
  await request(served.server).get('/a?key=right&x=1').expect(400).expect('Cache-Control', 'private');
});

test.each([['max-age=60'], [undefined]])(
  'a reply that declares Cache-Control has that of its handler: %s',
  async (value) => {
    await using served = await serve(
      '[{ query: [] }]',
      (_, reply) => reply(200, undefined, { 'cache-control': value }),
      DECLARED,
    );
    const reply = await request(served.server).get('/a?key=right').expect(200);
    expect(reply.headers['cache-control']).toBe(value);
  },
);

test('the Cache-Control of middleware stays', async () => {
  await using served = await serve('[{ query: [] }]', (_, reply) => reply(204));
  const app = express();
  app.use((_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    next();
  });
  app.use((req, res) => void served.server.emit('request', req, res));
  await request(app).get('/a?key=right').expect(204).expect('Cache-Control', 'no-store');
});
