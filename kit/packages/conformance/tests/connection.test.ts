import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { createSuite, runCase, type CaseResult } from '../src';
import { toCurl } from '../src/wire/curl';
import { ReplyReader } from '../src/wire/reply';
import { toBytes } from '../src/wire/request';
import { secretOf } from '../src/wire/secret';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na';
const NO = 'HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n';

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
  expect(new ReplyReader(method).findEnd(Buffer.from(text + (end === undefined ? '' : OK)))).toBe(end);
});

test.each(['x', '-6'])('a reply with a chunk of size %s is malformed', (size) => {
  const text = NO.replace('\r\n1\r\n', `\r\n${size}\r\n`);
  expect(() => new ReplyReader('GET').findEnd(Buffer.from(text + OK))).toThrow('a chunk has a malformed size');
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
  const suite = createSuite(CONTRACT, { marker: 'mark' });
  const target = { base: server.base, secrets: {}, timeout: 60_000 };
  const cases = suite.cases.filter(({ class: name }) => name === 'positive');
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
