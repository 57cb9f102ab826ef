import request from 'supertest';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { serveOperation, type ServedOperation } from '@contract-kit/test-support/serve-operation';
import { postThing, startThings, TOKEN } from '@contract-kit/test-support/start-things';
import express from 'express';
import type { UntypedHandler } from '../../src/pipeline/pipeline';

const HEAD = 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const RIGHT = `Authorization: Bearer ${TOKEN}\r\n`;
const LENGTH = 'Content-Length: 22\r\n';
const BODY = '{"id":1,"name":"Rose"}';

test.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER   ${TOKEN}`])('200 for %j', async (authorization) => {
  await using app = await startThings();
  await postThing(app.server, BODY, { Authorization: authorization }).expect(200);
});

test.each([
  ['no credentials', undefined],
  ['empty credentials', ''],
  ['another scheme', `Basic ${TOKEN}`],
  ['the token alone', TOKEN],
  ['a tab behind the scheme', `Bearer\t${TOKEN}`],
  ['a scheme that only contains bearer', `x-bearer ${TOKEN}`],
])('401 with a challenge that names no error for %s', async (_, authorization) => {
  await using app = await startThings();
  const headers = authorization === undefined ? {} : { Authorization: authorization };
  const reply = await request(app.server).post('/things').set(headers).expect(401);
  expect(reply.headers['www-authenticate']).toBe('Bearer realm="Things"');
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.body).toMatchObject({ error: 40100 });
});

test.each([
  ...['Bearer', 'Bearer wrong', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Bearer ${TOKEN.toUpperCase()}`],
  ...[`Bearer ${TOKEN} ${TOKEN}`, `Bearer ${TOKEN}, Bearer ${TOKEN}`, `Bearer "${TOKEN}"`, `Bearer \t${TOKEN}`],
  `Bearer ${TOKEN}=`,
])('401 with invalid_token for %j', async (authorization) => {
  await using app = await startThings();
  const reply = await postThing(app.server, BODY, { Authorization: authorization }).expect(401);
  expect(reply.headers['www-authenticate']).toBe('Bearer realm="Things", error="invalid_token"');
  expect(reply.body).toMatchObject({ error: 40101 });
  expect(reply.text).not.toContain(TOKEN);
  expect(app.rows()).toEqual([]);
});

test.each([
  [
    '401 for two Authorization headers, even if both are right',
    [`${HEAD}Connection: close\r\n${RIGHT}${RIGHT}\r\n`],
    [401],
  ],
  ['401 before a byte of the body is read', [`${HEAD}Expect: 100-continue\r\n${LENGTH}\r\n`], [401]],
  [
    '100-continue once the credentials are accepted',
    [`${HEAD}Connection: close\r\nExpect: 100-continue\r\n${RIGHT}${LENGTH}\r\n`, BODY],
    [100, 200],
  ],
])('%s', async (_, parts, statuses) => {
  await using app = await startThings();
  const replies = await sendRaw(app.port, ...parts);
  expect(replies.map(({ status }) => status)).toEqual(statuses);
  expect(replies.at(-1)?.headers).toMatchObject({ connection: 'close' });
});

test('401 whatever is wrong with the rest', async () => {
  await using app = await startThings();
  await request(app.server).post('/things?x=1').set('Content-Type', 'text/plain').send('{').expect(401);
});

test('an alternative with a client certificate is never met; the others are', async () => {
  const members = 'security: [{ mtls: [] }, { mtls: [], token: [] }, { token: [] }]';
  const components = 'securitySchemes: { mtls: { type: mutualTLS }, token: { type: http, scheme: bearer } }';
  await using served = await serveOperation({ method: 'get', members, components }, undefined, { token: () => ({}) });
  await request(served.server).get('/a').expect(401);
  await request(served.server).get('/a').set('Authorization', 'Bearer a').expect(204);
});

test('a verifier of another http scheme gets what follows its name', async () => {
  const components = 'securitySchemes: { token: { type: http, scheme: bearer }, own: { type: http, scheme: X.Own } }';
  const parts = { method: 'get', members: 'security: [{ token: [] }, { own: [] }]', components };
  const verifiers = {
    token: () => undefined,
    own: (credentials: string) => (credentials === 'a="1", b=2' ? {} : undefined),
  };
  await using served = await serveOperation(parts, undefined, verifiers);
  const send = (authorization: string): request.Test =>
    request(served.server).get('/a').set('Authorization', authorization);
  await send('x.own  a="1", b=2').expect(204);
  const refusal = await send('X.Own').expect(401);
  expect(refusal.headers['www-authenticate']).toBe('Bearer realm="Tests", error="invalid_token", X.Own realm="Tests"');
  for (const wrong of ['X.Own c', 'X.Owna="1", b=2', 'Bearer a="1", b=2']) await send(wrong).expect(401);
});

const DECLARED = "'200': { description: Done., headers: { cache-control: { schema: { type: string } } } }";
const SCHEMES = `securitySchemes: { query: { type: apiKey, in: query, name: key }, header: { type: apiKey, in: header, name: Key },
  cookie: { type: apiKey, in: cookie, name: key }, bearer: { type: http, scheme: bearer } }`;

function serve(security: string, handler?: UntypedHandler, responses?: string): Promise<ServedOperation> {
  const verify = (key: string): object | undefined => (key === 'right' ? {} : undefined);
  const verifiers = { query: verify, header: verify, cookie: verify, bearer: verify };
  const members = `security: ${security}`;
  const parts = { method: 'get', members, components: SCHEMES, ...(responses !== undefined && { responses }) };
  return serveOperation(parts, handler, verifiers);
}

const ALL = '[{ query: [] }, { header: [] }, { cookie: [] }, { bearer: [] }, {}]';

test.each<[string, string, Record<string, string>, string | undefined]>([
  ['a key in the query', '?key=right', {}, 'private'],
  ['a key in a header', '', { Key: 'right' }, 'private'],
  ['a key in a cookie', '', { Cookie: 'key=right' }, 'private'],
  ['a bearer token', '', { Authorization: 'Bearer right' }, undefined],
  ['no credentials', '', {}, undefined],
])('the Cache-Control of a reply to %s: %s %j %s', async (_, query, headers, expected) => {
  await using served = await serve(ALL);
  const reply = await request(served.server).get(`/a${query}`).set(headers).expect(204);
  expect(reply.headers['cache-control']).toBe(expected);
});

test('the Cache-Control of a refusal is private where an API key was sent', async () => {
  await using served = await serve('[{ query: [] }]');
  const reply = await request(served.server).get('/a?key=wrong').expect(401);
  expect(reply.headers['cache-control']).toBe('private');
  await request(served.server).get('/a?key=right&x=1').expect(400).expect('Cache-Control', 'private');
});

test.each([['max-age=60'], [undefined]])('a reply that declares Cache-Control has its own: %s', async (value) => {
  const handler: UntypedHandler = (_, reply) => reply(200, undefined, { 'cache-control': value });
  await using served = await serve('[{ query: [] }]', handler, DECLARED);
  const reply = await request(served.server).get('/a?key=right').expect(200);
  expect(reply.headers['cache-control']).toBe(value);
});

test('the Cache-Control of middleware stays', async () => {
  await using served = await serve('[{ query: [] }]');
  const app = express();
  app.use((_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    next();
  });
  app.use((req, res) => void served.server.emit('request', req, res));
  await request(app).get('/a?key=right').expect(204).expect('Cache-Control', 'no-store');
});
