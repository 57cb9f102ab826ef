import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { createSuite, runCase, type Level, type Suite } from '../src';
import { mapInOrder } from '../src/exchange/pool';
import type { Case } from '../src/generators/case';
import { contractOf } from './contract-of';
import { READINGS, serveReadings, type Fault } from './serve-readings';

const suites = new Map<Level, Suite>();

function suiteOf(level: Level): Suite {
  const suite = suites.get(level) ?? createSuite(READINGS, { marker: 'text', level });
  suites.set(level, suite);
  return suite;
}

/** What the suite says of a server: each finding with the label of its case. */
async function judge(level: Level, fault: Fault | undefined, isWanted: (one: Case) => boolean): Promise<string[]> {
  await using server = await serveReadings(fault);
  const suite = suiteOf(level);
  const target = { base: server.base, secrets: {}, timeout: 60_000 };
  const cases = suite.cases.filter((one) => !one.situation && isWanted(one));
  const found: string[] = [];
  for await (const { case: one, findings } of mapInOrder(cases, 4, (each) =>
    runCase(suite.oracleFor({}), target, each),
  ))
    found.push(...findings.map(({ check, text }) => `${one.label}: ${check}, ${text}`));
  return found;
}

test('a server that keeps a contract of OpenAPI 3.2 has no findings, and everything is tried', async () => {
  // node:http itself is not strict about heads.
  await expect(judge('robust', undefined, ({ request }) => !request.changeHead)).resolves.toEqual([]);
  expect(suiteOf('robust').skipped()).toEqual([]);
}, 120_000);

test.each<[Fault, operation: string, kind: string, finding: string]>([
  [
    'a cut stream',
    'watch',
    'positive',
    'text/event-stream, read for 2 seconds: message-framing, the last chunk is missing',
  ],
  ['a crash when a client leaves', 'watch', 'positive', 'server-alive, the server no longer answers'],
  ['only the first item is checked', 'add', 'negative', 'a wrong item last: invalid-accepted'],
  ['only the last item is checked', 'add', 'negative', 'a wrong item first: invalid-accepted'],
  ['the first thousand bytes are checked', 'add', 'negative', 'right ones: invalid-accepted'],
  ['a cut item is ignored', 'add', 'malformed', 'cut in its last item: malformed-accepted'],
  ['data of events is text', 'add', 'negative', 'text/event-stream, content, maximum+1: invalid-accepted'],
  ['bytes that are not UTF-8 are replaced', 'add', 'malformed', 'UTF-8: a byte that never occurs: malformed-accepted'],
  ['CR is not known', 'add', 'negative', 'a wrong item, lines that end in CR (HTML 9.2.6): invalid-accepted'],
  ['one line of data is read', 'add', 'positive', 'data over several lines (HTML 9.2.6): valid-refused'],
  ['CR LF is not known', 'add', 'positive', 'text/event-stream, lines that end in CR LF (HTML 9.2.6): valid-refused'],
  ['QUERY without a type', 'find', 'media-type', 'no Content-Type: invalid-accepted'],
  ['no PURGE', 'purge', 'positive', 'no body: valid-refused'],
  ['a query that is not decoded', 'searchByJson', 'parameter', 'querystring search, every property: valid-refused'],
  ['a query that is not checked', 'searchByForm', 'parameter', 'querystring search, maximum+1: invalid-accepted'],
  ['cookies that are decoded', 'showCookies', 'parameter', 'cookie note, a template: valid-refused'],
])(
  'a server with the fault "%s" is told in %s, %s: %s',
  async (fault, operation, kind, finding) => {
    const found = await judge(
      'robust',
      fault,
      (one) => one.operation === operation && one.class === kind && !one.request.changeHead,
    );
    expect(found).toContainEqual(expect.stringContaining(finding));
  },
  60_000,
);

test.each<[Fault, type: string, finding: string]>([
  ['a wrong item', 'application/jsonl', 'schema, item 3, /n is more than 9 (maximum)'],
  ['a wrong item', 'application/json-seq', 'schema, item 3, /n is more than 9 (maximum)'],
  ['a wrong item', 'text/event-stream', 'schema, event 3, /data/n is more than 9 (maximum)'],
  ['a wrong first item', 'text/event-stream', 'schema, event 1, /data/n is less than 0 (minimum)'],
  ['an error as the last item', 'application/jsonl', 'schema, item 5 lacks n (required)'],
  ['JSON over two lines', 'application/jsonl', 'body-malformed, item 3 is not JSON'],
  ['JSON over two lines', 'text/event-stream', 'schema, event 3, /data is not JSON (contentSchema)'],
  ['text instead of JSON', 'application/json-seq', 'body-malformed, item 3 is not JSON'],
  ['another event', 'text/event-stream', 'schema, event 3, /event is not the value of const (const)'],
  ['no line feeds', 'application/jsonl', 'body-malformed, item 1 is not JSON'],
  ['no line feeds', 'application/json-seq', 'body-malformed, no line feed follows an item'],
  ['commas between items', 'application/jsonl', 'body-malformed, item 1 is not JSON'],
  ['no record separators', 'application/json-seq', 'body-malformed, item 1 has no record separator before it'],
  ['a byte order mark', 'application/jsonl', 'body-malformed, item 1 begins with a byte order mark'],
  ['a byte order mark', 'application/json-seq', 'body-malformed, item 1 has no record separator before it'],
  ['a blank line', 'application/jsonl', 'body-malformed, item 3 is a blank line'],
  ['a cut last item', 'application/jsonl', 'body-malformed, item 5 is not JSON'],
  ['a cut last item', 'application/json-seq', 'body-malformed, item 5 is not JSON'],
  ['no line feed behind the last item', 'application/json-seq', 'body-malformed, no line feed follows an item'],
  ['no line feed behind the last item', 'text/event-stream', 'body-malformed, no blank line follows the last event'],
  ['bytes of gzip', 'application/jsonl', 'body-malformed, item 1 is not UTF-8'],
  ['bytes of gzip', 'text/event-stream', 'body-malformed, event 1 is not UTF-8'],
  ['another Content-Type', 'text/event-stream', 'content-type, Content-Type is text/plain'],
  ['no Content-Type', 'application/json-seq', 'content-type, Content-Type is missing'],
  ['a length beside chunks', 'application/jsonl', 'message-framing, the headers contradict each other'],
])('a server whose stream has the fault "%s" is told in %s: %s', async (fault, type, finding) => {
  const found = await judge('contract', fault, ({ label }) => label === `${type}, read for 2 seconds`);
  expect(found).toContainEqual(expect.stringContaining(finding));
});

test.each<[Fault, type: string]>([
  ['a byte order mark', 'text/event-stream'],
  ['a blank line', 'text/event-stream'],
  ['a blank line', 'application/json-seq'],
  ['JSON over two lines', 'application/json-seq'],
  ['no line feed behind the last item', 'application/jsonl'],
])('%s is right in %s', async (fault, type) => {
  await expect(judge('contract', fault, ({ label }) => label === `${type}, read for 2 seconds`)).resolves.toEqual([]);
});

const ITEMS = 'content: { application/jsonl: { itemSchema: { type: integer } } }';
const COPY = contractOf(
  `{ post: { requestBody: { required: true, ${ITEMS} }, responses: { '200': { description: The items., ${ITEMS} }, '400': { description: Wrong. } } } }`,
  { version: '3.2.0' },
);

/** Copies lines while it reads them, and cuts its reply before a wrong one. */
async function copyLines(req: IncomingMessage, res: ServerResponse, isChecking: boolean): Promise<void> {
  for await (const line of createInterface({ input: req, crlfDelay: Infinity })) {
    if (isChecking && !/^[ \t]*-?\d+(?:\.0+)?[ \t]*$/.test(line))
      return void (res.headersSent ? res.destroy() : res.writeHead(400).end());
    if (!res.headersSent) res.writeHead(200, { 'Content-Type': 'application/jsonl' });
    await new Promise((sent) => res.write(`${isChecking ? line : '1'}\n`, sent));
  }
  if (res.headersSent) res.end();
  else res.writeHead(400).end();
}

test.each<[what: string, isChecking: boolean, findings: unknown]>([
  ['may cut its reply before a wrong one', true, []],
  ['may not send its reply whole', false, expect.arrayContaining(['a wrong item last: invalid-accepted'])],
])('a server that replies while it reads the items of a request %s', async (_what, isChecking, findings) => {
  const listener = (req: IncomingMessage, res: ServerResponse): void => void copyLines(req, res, isChecking);
  await using server = await listenOnLoopback(createServer(listener));
  const suite = createSuite(COPY, { marker: 'text' });
  const target = { base: server.base, secrets: {}, timeout: 20_000 };
  const found: string[] = [];
  for (const one of suite.cases.filter(({ label }) => label.startsWith('a wrong item'))) {
    const result = await runCase(suite.oracleFor({}), target, one);
    found.push(...result.findings.map(({ check }) => `${one.label}: ${check}`));
  }
  expect(found).toEqual(findings);
});
