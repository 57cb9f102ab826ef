import { METHODS } from 'node:http';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { REFUSALS } from '../../src/errors/refusal';
import { logOutcome } from '../../src/http/request-log';
import { createLog } from '../../src/runtime/log';
import { SECRETS, startApp } from '@contract-kit/test-support/start-app';
import {
  checkCoverage,
  createSuite,
  describeFailure,
  describeCoverage,
  describeOperation,
  describeUnbuilt,
  runSuite,
  toJUnit,
  type CaseResult,
  type Target,
} from '@contract-kit/conformance';
import { startTarget } from '@contract-kit/test-support/start-target';

// Words of the log's places and rules that the contract does not have.
const OF_REQUESTS = [
  ...['', '*', 'path', 'query', 'headers', 'cookies', 'body'],
  ...['content-type', 'contentType', 'content-encoding', 'contentEncoding', 'size', 'utf8'],
  ...['int64', 'once', 'listed', 'style', 'percent-encoding', 'depth', 'unicode', 'multipart', 'additionalProperties'],
];

// In every text that is created.
const MARK = 'marked-by-the-suite';

const suite = createSuite(readFileSync('packages/test-support/plants/openapi.yaml', 'utf8'), {
  marker: MARK,
  level: 'robust',
});
const { model, cases } = suite;
const results: CaseResult[] = [];

/** Every line that the whole suite made the service log. */
const logged: string[] = [];
const log = createLog('trace', { write: (line) => logged.push(line) });

let target: Target & AsyncDisposable;
beforeAll(async () => {
  target = await startTarget(suite, (parts) =>
    startApp({
      ...parts,
      report: (outcome) => {
        logOutcome(log, outcome);
      },
    }),
  );
  for await (const result of runSuite(suite, target, { isWanted: () => true })) results.push(result);
});
afterAll(async () => {
  await target[Symbol.asyncDispose]();
  mkdirSync('reports/conformance', { recursive: true });
  writeFileSync(
    'reports/conformance/junit.xml',
    toJUnit(results, (result) => describeFailure(result, target, variables())),
  );
  process.stdout.write(`\n${describeUnbuilt(suite, unbuilt())}\n`);
});

function unbuilt(): ReadonlySet<string> {
  return target.unbuilt ?? new Set();
}

function variables(): Record<string, string> {
  return Object.fromEntries(Object.keys(target.secrets).map((scheme) => [scheme, 'TOKEN']));
}

test.each(model.operations)('$method $path', ({ id }) => {
  const text = describeOperation(results, id, target, variables());
  // An error rather than an expectation, so that nothing else is printed.
  if (text !== undefined) throw new Error(text);
});

test('every reply that the contract declares is produced', () => {
  const gaps = checkCoverage(suite, {
    file: 'packages/server/tests/service/accepted-gaps.yaml',
    isAccepting: process.env['ACCEPT_GAPS'] === '1',
    unbuilt: unbuilt(),
  });
  process.stdout.write(`\n${describeCoverage(gaps)}\n`);
  const hint = 'Write a test of its own for each; then ACCEPT_GAPS=1 writes them into tests/accepted-gaps.yaml.';
  if (gaps.groups.length > 0) throw new Error(`${describeCoverage(gaps)}\n${hint}`);
});

// Beside these, the plant store sends Allow with 405, WWW-Authenticate with 401, and Retry-After with 503.
const HEADERS = [
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive'],
  ...['x-content-type-options', 'x-request-id'],
];
const EXTRA_HEADERS = new Map([
  [401, ['www-authenticate']],
  [405, ['allow']],
  [503, ['retry-after']],
]);

test('each reply has a documented status, exactly the documented properties and headers, and nothing of a token or of the code', () => {
  // `OPTIONS *` gets 204: it is about no path of the contract.
  const replies = results
    .flatMap(({ case: { operation }, replies: own }) => own.map((reply) => ({ operation, ...reply })))
    .filter(({ status }) => status !== 204);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400, 401, 404, 405, 500, 503]));
  for (const { operation, status, headers, body } of replies) {
    const fields = new Map(headers);
    expect(headers).toHaveLength(fields.size);
    const extra = EXTRA_HEADERS.get(status) ?? [];
    expect([...fields.keys()].filter((name) => ![...HEADERS, ...extra].includes(name))).toEqual([]);
    expect([...fields.keys()]).toEqual(expect.arrayContaining(['x-content-type-options', 'x-request-id', ...extra]));
    const text = body.toString();
    expect(text).not.toMatch(/node_modules|node:internal|SQLITE|INSERT INTO|\bat \S+ \(/);
    expect(`${text}${String(headers)}`).not.toContain(Object.values(SECRETS)[0]);
    // The reply to HEAD has no content, and neither has one to a method that could not be read.
    if (text === '') continue;
    expect(fields.get('content-type')).toBe('application/json');
    const names = Object.keys(JSON.parse(text) as object).join();
    const ofSuccess = operation === 'createPlant' ? /^name(?:,tag)?$/ : /^/;
    expect(names).toMatch(status === 200 ? ofSuccess : /^error,message$/);
  }
});

describe('what was logged meanwhile', () => {
  const lines = (): Record<string, unknown>[] => logged.map((line) => JSON.parse(line) as Record<string, unknown>);

  test('says of each request what the contract or the server says of it, and nothing else', () => {
    const words = new Set<unknown>([
      ...METHODS,
      ...model.operations.flatMap(({ id, path }) => [id, path]),
      ...Object.keys(REFUSALS),
      // The caller: the start of the SHA-256 of the token.
      'c27dc09e',
      'request',
      true,
    ]);
    // What a request broke: words of the contract, and a few of the kit's.
    const contract = new Set([
      ...readFileSync('packages/test-support/plants/openapi.yaml', 'utf8').split(/[^\w-]+/),
      ...OF_REQUESTS,
    ]);
    expect(lines().length).toBeGreaterThan(cases.length);
    for (const { time, id = '00000000', cause, rule = '*', place = '', requestedPath = '/', ...line } of lines()) {
      // The path of a 404 or 405 is the client's: escaped, and at most 200 characters.
      expect(requestedPath).toMatch(/^[!-~]{1,200}$/);
      const broken = [rule, ...String(place).split('/')];
      expect(broken.filter((word) => !contract.has(String(word)))).toEqual([]);
      expect(['string', 'undefined']).toContain(typeof cause);
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(id).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
      const texts = Object.values(line).filter((value) => typeof value !== 'number');
      expect(texts.filter((value) => !words.has(value))).toEqual([]);
    }
  });

  test('has nothing of a token or a body', () => {
    const all = logged.join('\n');
    const secrets = Object.values(SECRETS).flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64').replace(/=*$/, ''),
    ]);
    expect([...secrets, MARK].filter((secret) => all.toLowerCase().includes(secret.toLowerCase()))).toEqual([]);
  });
});
