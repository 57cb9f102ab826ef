import { createServer as createHttpServer } from 'node:http';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { createSuite, runCase, type CaseResult } from '../src';
import { toCurl } from '../src/wire/curl';
import { ReplyReader } from '../src/wire/reply';
import { toBytes } from '../src/wire/request';
import { secretOf } from '../src/wire/secret';
import { contractOf } from './contract-of';

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

test('a server that loses two replies of three, or cuts them off, has not ended', async () => {
  let count = 0;
  await using server = await listenOnLoopback(
    createHttpServer((_req, res) => {
      if (++count % 3 === 0) res.writeHead(200, { 'Content-Length': 9 }).write('a');
      setImmediate(() => res.destroy());
    }),
  );
  const suite = createSuite(contractOf(`{ get: { responses: { '200': { description: A } } } }`), { marker: 'mark' });
  const target = { base: server.base, secrets: {}, timeout: 60_000 };
  for (const one of suite.cases.slice(0, 1)) {
    const { findings } = await runCase(suite.oracleFor({}), target, one);
    expect([findings.map(({ check }) => check), count]).toEqual([['connection-closed'], 3]);
  }
});

const NEWS = `{ description: An event for each piece., content: { text/event-stream: { schema: { type: string } } } }`;
const CONTRACT = contractOf(`{ get: { responses: { '200': ${NEWS} } } }`, { version: '3.0.3' });

/** What the suite says of right requests to a server that begins its reply so, and never ends it. */
async function judge(type: string, bytes: string | Buffer): Promise<CaseResult[]> {
  await using server = await listenOnLoopback(
    createHttpServer((_req, res) => {
      res.writeHead(200, { 'Content-Type': type }).flushHeaders();
      if (bytes.length > 0) res.write(bytes);
    }),
  );
  const suite = createSuite(CONTRACT, { marker: 'mark' });
  const target = { base: server.base, secrets: {}, timeout: 60_000 };
  const cases = suite.cases.filter(({ class: name }) => name === 'positive');
  return await Promise.all(cases.map((one) => runCase(suite.oracleFor({}), target, one)));
}

test.each([
  ['text/event-stream', 'data: 1\n\n', []],
  ['text/event-stream; charset=utf-8', ': nothing yet\n\n', []],
  // Only the head.
  ['text/event-stream', '', []],
  // A sign may be cut where the first bytes end.
  ['text/event-stream', Buffer.from([0xc3]), []],
  ['text/event-stream', Buffer.from([0xff]), ['body-malformed']],
])('a stream of %s that does not end is no hang, and its first bytes are judged: %j', async (type, bytes, checks) => {
  const results = await judge(type, bytes);
  expect(new Set(results.flatMap(({ findings }) => findings.map(({ check }) => check)))).toEqual(new Set(checks));
  expect(results.filter(({ replies }) => replies[0]?.body.length === bytes.length)).not.toEqual([]);
});
