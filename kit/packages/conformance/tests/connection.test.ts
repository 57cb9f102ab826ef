import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { createSuite, runCase, type CaseResult } from '../src';
import type { Case } from '../src/generators/case';
import { exchange } from '../src/exchange/exchange';
import { toCurl } from '../src/wire/curl';
import { endOfReply, ReplyReader } from '../src/wire/reply';
import { toBytes } from '../src/wire/request';
import { secretOf } from '../src/wire/secret';

const GET = { method: 'GET', target: '/a', headers: [] } as const;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na';
const NO = 'HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n';

const CASE: Case = {
  operation: 'get',
  class: 'connection',
  pointer: '#',
  label: '',
  request: GET,
  before: { request: { ...GET, isKeptAlive: true }, expect: 'no credentials', isPipelined: false },
  expect: 'accepted',
};

/** What comes of a case where a server sends one of some texts for each request, and then closes the connection. */
async function converse(one: Case, answers: readonly string[]): Promise<unknown[]> {
  const server = createServer((socket) => {
    let seen = '';
    let answered = 0;
    socket.on('data', (chunk: Buffer) => {
      seen += chunk.toString('latin1');
      const asked = seen.split('\r\n\r\n').length - 1;
      for (; answered < Math.min(asked, answers.length); answered += 1) socket.write(answers[answered] ?? '');
      if (answered === answers.length) socket.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const base = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  const found = await exchange({ base, secrets: {}, timeout: 60_000 }, one);
  await new Promise((done) => server.close(done));
  return found.map((each) => ('reply' in each ? [each.case.expect, each.reply.status] : each.text));
}

const FIRST = ['no credentials', 401];
const SECOND = ['accepted', 200];

test.each([
  ['each has its reply', [NO, OK], [FIRST, SECOND]],
  ['the connection may be closed after the first', [NO], [FIRST]],
  ['a reply without a length ends with the connection', ['HTTP/1.1 401 No\r\n\r\na'], [FIRST]],
  ['what is not asked for is no reply', [NO, OK + OK], [FIRST, 'the server sent more responses than it got requests']],
  [
    'a reply to the body of the first is one too many',
    [NO + OK, OK],
    [FIRST, 'the server sent more responses than it got requests'],
  ],
  [
    'replies that are swapped are judged as they come',
    [OK, NO],
    [
      ['no credentials', 200],
      ['accepted', 401],
    ],
  ],
])('of two requests on one connection, %s', async (_what, answers, expected) => {
  await expect(converse(CASE, answers)).resolves.toEqual(expected);
});

test('of two requests at once, each has its reply', async () => {
  const before = { request: { ...GET, isKeptAlive: true }, expect: 'accepted', isPipelined: true } as const;
  await expect(converse({ ...CASE, before }, [OK, OK])).resolves.toEqual([SECOND, SECOND]);
});

test('a request that another one follows does not close the connection', () => {
  const base = new URL('http://a');
  expect(toBytes(GET, base, {}).toString()).toContain('Connection: close\r\n');
  expect(toBytes({ ...GET, isKeptAlive: true }, base, {}).toString()).not.toContain('Connection');
});

test.each([
  ['half a head', 'HTTP/1.1 200 OK\r\n', 'GET', undefined],
  ['half a body', OK.slice(0, -1), 'GET', undefined],
  ['a body', OK, 'GET', OK.length],
  ['chunks', NO, 'GET', NO.length],
  ['chunks without their end', NO.slice(0, -1), 'GET', undefined],
  ['a reply to HEAD', OK.slice(0, -1), 'HEAD', OK.length - 1],
  ['204', 'HTTP/1.1 204 No\r\n\r\n', 'GET', 19],
  ['an interim reply alone', 'HTTP/1.1 100 Continue\r\n\r\n', 'GET', undefined],
  ['a reply behind an interim one', `HTTP/1.1 100 Continue\r\n\r\n${OK}`, 'GET', 25 + OK.length],
])('%s: the end of a reply', (_what, text, method, end) => {
  expect(endOfReply(Buffer.from(text + (end === undefined ? '' : OK)), new ReplyReader(method))).toBe(end);
});

test.each(['x', '-6'])('a reply with a chunk of size %s has no known end', (size) => {
  const text = NO.replace('\r\n1\r\n', `\r\n${size}\r\n`);
  expect(endOfReply(Buffer.from(text + OK), new ReplyReader('GET'))).toBe(text.length + OK.length);
});

const TRAILING = {
  method: 'POST',
  target: '/a',
  headers: [],
  body: Buffer.from('ab'),
  framing: 'chunked',
  trailers: [['X-Key', secretOf('key', 'plain')]],
} as const;

test('a trailer stands behind the last chunk, and its secret in no line for a shell', () => {
  const base = new URL('http://127.0.0.1:1');
  expect(toBytes(TRAILING, base, { key: 'secret' }).toString()).toMatch(
    /\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\nX-Key: secret\r\n\r\n$/,
  );
  expect(toCurl(TRAILING, base, { key: 'KEY' })).toContain(`X-Key: '"\${KEY}"`);
});

test('a line for a shell sends what goes before, too', () => {
  const line = toCurl(GET, new URL('http://127.0.0.1:1/v1'), {}, { ...GET, target: '/b', isKeptAlive: true });
  expect(line).toMatch(/^\( exec 3<>\/dev\/tcp\/127\.0\.0\.1\/1; .*GET \/v1\/b .*GET \/v1\/a .*Connection: close/);
});

const CONTRACT = `openapi: 3.0.3
info: { title: News, version: 1.0.0 }
paths:
  /news:
    get:
      operationId: watchNews
      responses: { '200': { description: An event for each piece., content: { text/event-stream: { schema: { type: string } } } } }
`;

/** What the suite says of right requests to a server that never ends its reply. */
async function judge(begin: (res: ServerResponse) => void): Promise<CaseResult[]> {
  await using server = await listenOnLoopback(
    createHttpServer((_req, res) => {
      begin(res);
    }),
  );
  const suite = createSuite(CONTRACT, { bodyLimit: 1024, marker: 'mark' });
  const target = { base: server.base, secrets: {}, timeout: 60_000 };
  const cases = suite.cases.filter(({ class: name }) => name === 'positive' || name === 'connection');
  return await Promise.all(cases.map((one) => runCase(suite.oracleFor({}), target, one)));
}

function write(res: ServerResponse, type: string, bytes: string | Buffer): void {
  res.writeHead(200, { 'Content-Type': type });
  res.write(bytes);
}

test.each([
  ['text/event-stream', 'data: 1\n\n'],
  ['text/event-stream; charset=utf-8', ': nothing yet\n\n'],
  // A sign may be cut where the first bytes end.
  ['text/event-stream', Buffer.from([0xc3])],
])('a stream of %s that does not end is no hang', async (type, bytes) => {
  const results = await judge((res) => {
    write(res, type, bytes);
  });
  expect(results.flatMap(({ findings }) => findings)).toEqual([]);
  expect(results.filter(({ replies }) => replies[0]?.body.length === bytes.length)).not.toEqual([]);
});

test('neither is one of which only the head came', async () => {
  const results = await judge((res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    res.flushHeaders();
  });
  expect(results.flatMap(({ findings }) => findings)).toEqual([]);
});

test('its first bytes are judged', async () => {
  const results = await judge((res) => {
    write(res, 'text/event-stream', Buffer.from([0xff]));
  });
  expect(new Set(results.flatMap(({ findings }) => findings.map(({ check }) => check)))).toEqual(
    new Set(['body-malformed']),
  );
});
