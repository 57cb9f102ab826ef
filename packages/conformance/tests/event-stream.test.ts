import { createServer, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../../../tests/support/listen-on-loopback';
import { createSuite, runCase, type CaseResult } from '../src';

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
    createServer((_req, res) => {
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
