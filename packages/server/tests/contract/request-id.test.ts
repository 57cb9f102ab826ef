import { randomUUID } from 'node:crypto';
import { postThing, startThings, type ThingsApp, TOKEN } from '../start-things';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let app: ThingsApp;
beforeEach(async () => {
  app = await startThings();
});
afterEach(async () => {
  await app[Symbol.asyncDispose]();
});

async function idFor(headers: Record<string, string | string[]>): Promise<unknown> {
  const reply = await postThing(app.server, '{"id":1,"name":"Rose"}').set(headers as Record<string, string>);
  const id: unknown = reply.headers['x-request-id'];
  expect(app.outcomes.at(-1)?.id).toBe(id);
  return id;
}

test('a request without one gets one, another each time', async () => {
  const ids = [await idFor({}), await idFor({})];
  for (const id of ids) expect(id).toMatch(UUID);
  expect(ids[0]).not.toBe(ids[1]);
});

test.each(['12345678', randomUUID(), 'A._-'.repeat(16)])('%s is taken', async (id) => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  await expect(idFor({ 'X-Request-Id': id, traceparent })).resolves.toBe(id);
});

test.each([
  ...['1234567', 'x'.repeat(65), 'with a space', 'quote"quote', '<script>', 'umläutte', '{"a":"bcdef"}', TOKEN],
])('%s is not well-formed, or no name for a request', async (id) => {
  await expect(idFor({ 'X-Request-Id': Buffer.from(id).toString('latin1') })).resolves.toMatch(UUID);
});

test('two X-Request-Id headers count as no header: the reply has a new id', async () => {
  await expect(idFor({ 'X-Request-Id': ['12345678', '12345679'] })).resolves.toMatch(UUID);
});

test('the trace of a traceparent is taken', async () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  await expect(idFor({ traceparent: `00-${trace}-b7ad6b7169203331-01` })).resolves.toBe(trace);
  await expect(idFor({ 'X-Request-Id': 'short', traceparent: `00-${trace}-b7ad6b7169203331-00` })).resolves.toBe(trace);
});

test.each([
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
  `01-${'a'.repeat(32)}-b7ad6b7169203331-01`,
  `00-${'A'.repeat(32)}-b7ad6b7169203331-01`,
  `00-${'a'.repeat(32)}-b7ad6b7169203331-01-x`,
  'x',
])('the traceparent %s is not well-formed', async (traceparent) => {
  await expect(idFor({ traceparent })).resolves.toMatch(UUID);
});

test('refusals have it, too, whoever refuses', async () => {
  const id = 'a-request';
  for (const path of ['/nowhere', '/things?x=1']) {
    const reply = await fetch(new URL(path, app.base), { headers: { 'X-Request-Id': id } });
    expect(reply.headers.get('x-request-id')).toBe(id);
  }
  await expect(idFor({ 'X-Request-Id': id, 'Content-Type': 'text/plain' })).resolves.toBe(id);
});
