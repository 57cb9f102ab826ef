import type express from 'express';
import request, { type Test } from 'supertest';
import { createRenderer } from '../../src/errors/create-renderer';
import { findErrorHeaders } from '../../src/errors/built-in-replies';
import { notBuilt } from '../../src/pipeline/handler';
import { loadText } from '@contract-kit/test-support/load-text';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { serveOperation } from '@contract-kit/test-support/serve-operation';
import { serveText } from '@contract-kit/test-support/serve-text';
import { postThing, startThings, type ThingsApp } from '@contract-kit/test-support/start-things';

const NOSNIFF = { 'x-content-type-options': 'nosniff' };
const ROSE = '{"id":1,"name":"Rose"}';

function preflight({ server }: Pick<ThingsApp, 'server'>): Test {
  return request(server)
    .options('/things')
    .set({ Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' });
}

test('X-Content-Type-Options is on each reply: of operations, refusals, the page, redirects and preflights', async () => {
  await using app = await startThings({ corsOrigins: '*' });
  const replies = [
    await postThing(app.server, ROSE).expect(200),
    await postThing(app.server, '{}').expect(400),
    await request(app.server).head('/nothing').expect(404),
    await request(app.server).get('/things').expect(405),
    await request(app.server).get('/docs').expect(200),
    await request(app.server).get('/').set('Accept', 'text/html').redirects(0).expect(302),
    await preflight(app).expect(204),
  ];
  for (const { headers } of replies) expect(headers).toMatchObject(NOSNIFF);
});

test('X-Content-Type-Options is on replies that no request belongs to, and on those for the server as a whole', async () => {
  await using app = await startThings();
  const replies = [
    ...(await sendRaw(app.port, 'nonsense\r\n\r\n')),
    ...(await sendRaw(app.port, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n')),
    ...(await sendRaw(app.port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')),
  ];
  expect(replies).toHaveLength(3);
  for (const { headers } of replies) expect(headers).toMatchObject(NOSNIFF);
});

test('X-Content-Type-Options is on the reply of middleware behind credentials', async () => {
  const afterCredentials = [((_req, res) => void res.status(202).send('later')) satisfies express.RequestHandler];
  await using served = await serveOperation({ method: 'get' }, undefined, {}, { afterCredentials });
  const { headers } = await request(served.server).get('/a').expect(202);
  expect(headers).toMatchObject(NOSNIFF);
});

test("a handler's own X-Content-Type-Options, which the contract declares, is the only one", async () => {
  const responses = "'200': { description: Fine., headers: { x-content-type-options: { schema: { type: string } } } }";
  await using served = await serveOperation({ method: 'get', responses }, (_, reply) =>
    reply(200, undefined, { 'x-content-type-options': 'declared' }),
  );
  const { headers } = await request(served.server).get('/a').expect(200);
  expect(headers).toMatchObject({ 'x-content-type-options': 'declared' });
});

test('where a contract requires X-Content-Type-Options of a refusal, the server gives it, and errorHeaders need not', async () => {
  const source = `openapi: 3.1.0
info: { title: Tests, version: 1.0.0 }
security: []
paths: { /a: { get: { operationId: a, responses: { default: { description: Any., headers: {
  x-content-type-options: { required: true, schema: { const: nosniff } } } } } } } }
`;
  const render = createRenderer({ contract: { operations: [] } });
  await using served = await serveText(source, { a: () => notBuilt('a') }, {}, { render });
  const { headers } = await request(served.server).get('/a').expect(501);
  expect(headers).toMatchObject(NOSNIFF);
  expect([...findErrorHeaders(loadText(source).operations, render).keys()]).toEqual([]);
});
