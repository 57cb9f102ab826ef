// What the plant store answers where OpenAPI and HTTP leave the choice to a server, so that no conformance suite can demand it.
import { sendRaw, type RawReply } from '@contract-kit/test-support/send-raw';
import { startApp, TOKEN, type RunningApp } from '@contract-kit/test-support/start-app';

const AUTHORIZATION = `Authorization: Bearer ${TOKEN}`;
const PLANT = '{"id":1,"name":"Rose"}';

/** Differences from a valid creation. */
interface Sent {
  readonly line?: string;
  readonly host?: string;
  readonly authorization?: string;
  readonly type?: string;
  readonly more?: string;
  readonly body?: string;
  readonly length?: string;
}

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app[Symbol.asyncDispose]());

async function send(sent: Sent, { port } = app): Promise<RawReply | undefined> {
  const { line = 'POST /plants HTTP/1.1', host = 'Host: a', authorization = AUTHORIZATION, body = PLANT } = sent;
  const {
    type = 'Content-Type: application/json',
    more = '',
    length = `Content-Length: ${String(body.length)}`,
  } = sent;
  const head = [line, host, 'Connection: close', authorization, type, more, length].filter((text) => text !== '');
  const [reply] = await sendRaw(port, `${head.join('\r\n')}\r\n\r\n${body}`);
  return reply;
}

const CHUNKED = { length: 'Transfer-Encoding: chunked', body: `${PLANT.length.toString(16)}\r\n${PLANT}\r\n0\r\n\r\n` };
const WRONG = 'Authorization: Bearer wrong';
const line = (target: string): Sent => ({ line: `POST ${target} HTTP/1.1` });
const withType = (type: string): Sent => ({ type: `Content-Type: ${type}` });
const withMember = (token: string): Sent => ({ body: `{"id":1,"name":"Rose","other":${token}}` });

test.each<[what: string, error: number, sent: Sent]>([
  ['a tab behind the scheme', 40100, { authorization: `Authorization: Bearer\t${TOKEN}` }],
  ['the same Authorization twice', 40101, { authorization: `${AUTHORIZATION}\r\n${AUTHORIZATION}` }],
  ['a right and a wrong Authorization', 40101, { authorization: `${AUTHORIZATION}\r\n${WRONG}` }],
  ['a wrong and a right Authorization', 40101, { authorization: `${WRONG}\r\n${AUTHORIZATION}` }],
  ['no credentials, and a malformed body', 40100, { authorization: '', body: '{' }],
  ['the same Host twice', 40000, { host: 'Host: a\r\nHost: a' }],
  ['a NUL in a header', 40000, { more: 'X-A: \0' }],
  ['an unknown expectation', 40000, { more: 'Expect: wonders' }],
  ['chunks in HTTP/1.0', 40000, { ...CHUNKED, line: 'POST /plants HTTP/1.0' }],
  ['HTTP/9.9', 40000, { line: 'POST /plants HTTP/9.9' }],
  ['a header without a colon', 40000, { more: 'nonsense' }],
  ['a body that is announced and too large', 40004, { length: 'Content-Length: 1000000000000000', body: '' }],
  ['no media type', 40005, { type: '' }],
  ['two media types', 40005, { type: 'Content-Type: application/json\r\nContent-Type: application/json' }],
  ['a list of media types', 40005, withType('application/json, application/json')],
  ['a malformed media type', 40005, withType('application/json x')],
  ['a charset that is not UTF-8', 40005, withType('application/json; charset=iso-8859-1')],
  ['gzip', 40006, { more: 'Content-Encoding: gzip' }],
  ['a byte order mark', 40008, { body: `\u00ef\u00bb\u00bf${PLANT}` }],
  ['a comma at the end', 40008, { body: PLANT.replace('}', ',}') }],
  ['a comment', 40008, { body: `/* */${PLANT}` }],
  ['single quotes', 40008, { body: PLANT.replaceAll('"', "'") }],
  ['names without quotes', 40008, { body: '{id:1,name:"Rose"}' }],
  ['a no-break space', 40008, { body: `${PLANT}\u00c2\u00a0` }],
  ...[
    'NaN',
    '-Infinity',
    'undefined',
    'True',
    '01',
    '+1',
    '0x1',
    '.5',
    '1.',
    '1_0',
    '1n',
    '"\u0001"',
    '"\n"',
    '"\\x41"',
  ].map((token) => [`the token ${JSON.stringify(token)}`, 40008, withMember(token)] as [string, number, Sent]),
  ['an undeclared query parameter', 40010, line('/plants?undeclared=1')],
  ['an undeclared query parameter with an encoded name', 40010, line('/plants?%75ndeclared%5B%5D=1')],
  ['an undeclared query parameter without a value', 40010, line('/plants?undeclared')],
  ['an undeclared query parameter after 1,100 ampersands', 40010, line(`/plants?${'&'.repeat(1_100)}undeclared=1`)],
  ...[
    '/plants/',
    '//plants',
    '/PLANTS',
    '/plants;x=1',
    '/plants.json',
    '/plants%2F',
    '/plants%00',
    '/plants%zz',
    '/',
  ].map((path) => [`the path ${path}`, 40400, line(path)] as [string, number, Sent]),
])('a creation with %s gets the error %i', async (_what, error, sent) => {
  const reply = await send(sent);
  expect(JSON.parse(reply?.body ?? '')).toEqual({ error, message: expect.any(String) as string });
  expect(reply).toMatchObject({
    status: Math.floor(error / 100),
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
  });
  expect(app.rows()).toEqual([]);
});

test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'])(
  '%s of /plants gets 405, and Allow names POST alone',
  async (method) => {
    await expect(send({ line: `${method} /plants HTTP/1.1` })).resolves.toMatchObject({
      ...{ status: 405, headers: { allow: 'POST' } },
    });
  },
);

test.each<[what: string, sent: Sent]>([
  ['a letter of the path is encoded', line('/%70lants')],
  ['the target has its absolute form', line('http://a/plants')],
  ['the media type has other parameters', withType('application/json; charset="utf-8"; x=1')],
  ['there are chunks', CHUNKED],
  ['the id is 1.0', { body: '{"id":1.0,"name":"Rose"}' }],
  ['the body has the largest size', { body: PLANT.padEnd(1024 ** 2) }],
])('a creation gets 200 when %s', async (_what, sent) => {
  await using own = await startApp();
  await expect(send(sent, own)).resolves.toMatchObject({ status: 200, body: '{"name":"Rose"}' });
  expect(own.rows()).toEqual([{ id: 1n, name: 'Rose', tag: null }]);
});

test('a body that is one byte too large gets the error 40004, in chunks too', async () => {
  const body = PLANT.padEnd(1024 ** 2 + 1);
  const chunks = { ...CHUNKED, body: `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` };
  for (const sent of [{ body }, chunks])
    await expect(send(sent)).resolves.toMatchObject({
      status: 400,
      body: expect.stringMatching(/"error":40004/) as string,
    });
});
