// What is reported of each request: its id, and the address of its client.
import { randomUUID } from 'node:crypto';
import { postThing, startThings, type ThingsApp, TOKEN } from '@contract-kit/test-support/start-things';
import { createApp } from '@contract-kit/test-support/plants/src/app';

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

test('a request without an id gets one, another each time', async () => {
  const ids = [await idFor({}), await idFor({})];
  for (const id of ids) expect(id).toMatch(UUID);
  expect(ids[0]).not.toBe(ids[1]);
});

test.each(['12345678', randomUUID(), 'A._-'.repeat(16)])('the id %s is taken', async (id) => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  await expect(idFor({ 'X-Request-Id': id, traceparent })).resolves.toBe(id);
  expect(app.outcomes.at(-1)?.traceId).toBe('a'.repeat(32));
});

test.each([
  ...['1234567', 'x'.repeat(65), 'with a space', 'quote"quote', '<script>', 'umläutte', '{"a":"bcdef"}', TOKEN],
])('the id %s is not well-formed, or no name for a request', async (id) => {
  await expect(idFor({ 'X-Request-Id': Buffer.from(id).toString('latin1') })).resolves.toMatch(UUID);
});

test('two X-Request-Id headers count as no header: the reply has a new id', async () => {
  await expect(idFor({ 'X-Request-Id': ['12345678', '12345679'] })).resolves.toMatch(UUID);
});

test('the trace of a traceparent is taken', async () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  await expect(idFor({ traceparent: `00-${trace}-b7ad6b7169203331-01` })).resolves.toBe(trace);
  await expect(idFor({ 'X-Request-Id': 'short', traceparent: `00-${trace}-b7ad6b7169203331-00` })).resolves.toBe(trace);
  expect(app.outcomes.at(-1)?.traceId).toBe(trace);
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

test('refusals have an id, too, whoever refuses', async () => {
  const id = 'a-request';
  for (const path of ['/nowhere', '/things?x=1']) {
    const reply = await fetch(new URL(path, app.base), { headers: { 'X-Request-Id': id } });
    expect(reply.headers.get('x-request-id')).toBe(id);
  }
  await expect(idFor({ 'X-Request-Id': id, 'Content-Type': 'text/plain' })).resolves.toBe(id);
});

/** The client in the report of a request that is refused before Express, and of one that is served. */
async function reportClient(trusted: unknown, forwarded: string): Promise<unknown> {
  await using app = await startThings({
    createApp: async (parts) => (await createApp(parts)).set('trust proxy', trusted),
  });
  const headers = { 'X-Forwarded-For': forwarded };
  await postThing(app.server, '{"id":1,"name":"Rose"}', headers);
  await postThing(app.server, '{"id":1,"name":"Rose"}', { ...headers, Host: '?' });
  const [served, refused] = app.outcomes;
  expect([served?.status, refused?.status]).toEqual([200, 400]);
  expect(served?.client).toBe(refused?.client);
  return served?.client;
}

test('without trusted proxies, no address of a client is reported', async () => {
  await expect(reportClient(false, '192.0.2.1')).resolves.toBeUndefined();
});

test.each([
  [
    'the last address that is not of a proxy',
    ['loopback', '10.0.0.0/8'],
    '198.51.100.1, 192.0.2.1, 10.1.2.3',
    '192.0.2.1',
  ],
  ['the address that the last of two proxies was sent', 2, '198.51.100.1, 192.0.2.1, 10.1.2.3', '192.0.2.1'],
  ['an IPv6 address', ['loopback'], '2001:db8::1', '2001:db8::1'],
  ['the address of the connection, if it is not of a proxy', ['10.0.0.0/8'], '192.0.2.1', '127.0.0.1'],
])('the client that is reported is %s', async (_, trusted, forwarded, client) => {
  await expect(reportClient(trusted, forwarded)).resolves.toBe(client);
});

test.each(['unknown', '192.0.2.1:1234', '{"level":60}', '192.0.2.1\u0085forged', `fe80::1%${'a'.repeat(60)}`])(
  'what a proxy passes on as an address, and is not, is not reported: %j',
  async (forwarded) => {
    await expect(reportClient(1, forwarded)).resolves.toBeUndefined();
  },
);

test.each<[unknown, unknown]>([
  ['ada', 'ada'],
  ['a b\n\u001b[2J"\u00e9\u202e\ud800', 'a\\u{20}b\\u{a}\\u{1b}[2J"\\u{e9}\\u{202e}\\u{d800}'],
  ['x'.repeat(100_000), 'x'.repeat(200)],
  ['\0'.repeat(100), '\\u{0}'.repeat(40)],
  ...[undefined, 7, { toString: 1 }].map((subject): [unknown, undefined] => [subject, undefined]),
])('the caller with the subject %j is reported as %j', async (subject, caller) => {
  await using app = await startThings({ verify: () => ({ subject: subject as string }) });
  await postThing(app.server, '{"id":1,"name":"Rose"}').expect(200);
  expect(app.outcomes.map((outcome) => outcome.caller)).toEqual([caller]);
});
