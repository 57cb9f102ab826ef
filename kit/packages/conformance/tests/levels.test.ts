import { readFileSync } from 'node:fs';
import { createSuite, LEVELS, runSuite, type Case, type CheckName, type Level, type Suite } from '../src';
import { IMPLEMENTATION_DEFINED } from '../src/contract/standards';
import { judge } from '../src/oracle/judge';
import type { Header } from '../src/wire/request';
import type { CaseKind } from '../src/generators/case';
import { contractOf } from './contract-of';
import { BOOKS, serveReplies } from './serve-books';
import { READINGS } from './serve-readings';

const CONTRACT = readFileSync('packages/test-support/plants/openapi.yaml', 'utf8');
const suites = new Map(LEVELS.map((level) => [level, createSuite(CONTRACT, { marker: 'mark', level })]));
const CASES = suites.get('robust')?.cases ?? [];
const FEATURES = readFileSync('packages/test-support/fixtures/contracts/features.yaml', 'utf8');
const OTHERS = [FEATURES, BOOKS, READINGS].flatMap((contract) => createSuite(contract, { marker: 'mark' }).cases);

function find(kind: string, label: string): Case {
  const found = CASES.find((one) => one.class === kind && one.label.replace(/ \(RFC .*\)$/, '') === label);
  if (!found) throw new Error(`there is no case ${label}`);
  return found;
}

interface Content {
  readonly body?: string;
  readonly headers?: Header[];
}

/** What is said of a reply to a case of a suite. */
function judgeIn(
  suite: Suite | undefined,
  one: Case | undefined,
  status: number,
  { body = '', headers = [] }: Content = {},
): CheckName[] {
  if (!suite || !one) throw new Error('there is no such case');
  const oracle = suite.oracleFor({ bearerAuth: 'a-token' });
  return judge(oracle, one, { status, headers, body: Buffer.from(body) }).map(({ check }) => check);
}

const checks = (one: Case, status: number, level: Level, content?: Content): CheckName[] =>
  judgeIn(suites.get(level), one, status, content);
const JSON_TYPE: Header[] = [['content-type', 'application/json']];
const HTML: Content = { body: '<p>No</p>', headers: [['content-type', 'text/html']] };

test.each(Object.keys(IMPLEMENTATION_DEFINED))('%s: cases of the contract stand on it', (clause) => {
  expect([...CASES, ...OTHERS].filter(({ implementationDefined }) => implementationDefined === clause)).not.toEqual([]);
});

test.each([
  ['media-type', 'the type application/json x'],
  ['media-type', 'no Content-Type'],
])('%s, %s: a success is no finding, and a 500 is one', (kind, label) => {
  const one = find(kind, label);
  expect(checks(one, 200, 'robust')).toEqual([]);
  expect(checks(one, 500, 'robust')).toEqual(['server-error']);
});

test('a baseline tells malformed framing from a malformed body', () => {
  const pointerOf = (label: string): string => find('malformed', label).pointer;
  expect(pointerOf('two Content-Lengths')).not.toBe(pointerOf('cut in the middle'));
});

test('a server that reads chunks by lines need not wait where a request has a Content-Length, too', () => {
  expect(String(find('malformed', 'a Content-Length and chunks').request.body)).toMatch(/\r\n$/);
});

test('where a standard leaves it open, a refusal is no finding, and a wrong reply is one', () => {
  const one = find('positive', 'a property more, "__proto__"');
  const error = '{"error":40000,"message":"No"}';
  expect(checks(one, 400, 'robust', { body: error, headers: JSON_TYPE })).toEqual([]);
  expect(checks(one, 200, 'contract', { body: '{"name":1}', headers: JSON_TYPE })).toEqual(['schema']);
});

test('a fraction that a double rounds to a valid int64 need not be refused', () => {
  const check = (text: string): string[] => checks(find('negative', `type integer, ${text}`), 200, 'robust');
  expect(check('1.0000000000000000001')).not.toContain('invalid-accepted');
  expect(check('9223372036854775807.5')).toContain('invalid-accepted');
});

test('what no standard leaves open is held against a server', () => {
  for (const label of ['cut in the middle', 'UTF-8: overlong', 'two Content-Lengths'])
    expect(checks(find('malformed', label), 200, 'robust')).toContain('malformed-accepted');
  for (const label of ['the type text/plain', 'an unknown coding'])
    expect(checks(find('media-type', label), 200, 'robust')).toEqual(['invalid-accepted']);
  for (const label of ['written -0', 'a byte order mark'])
    expect(find('positive', label).implementationDefined).toBeUndefined();
});

test('a 204 has no content, and shows that a text was accepted which is not a number', () => {
  const age = 'parameters: [{ name: age, in: query, schema: { type: integer } }]';
  const gone = "responses: { '204': { description: Gone, content: { application/json: { schema: {} } } } }";
  const suite = createSuite(contractOf(`{ delete: { ${age}, ${gone} } }`), { marker: 'mark', level: 'robust' });
  const one = suite.cases.find(({ label }) => label === 'query age, written "NaN"');
  expect(judgeIn(suite, one, 204)).toEqual(['invalid-accepted']);
});

test('a 405 to a method that the path does not have lists those that it has', () => {
  const suite = createSuite(BOOKS, { marker: 'mark' });
  const judged = (expected: string, allow: string): CheckName[] => {
    const one = suite.cases.find(({ operation, expect: wanted }) => operation === 'addBook' && wanted === expected);
    return judgeIn(suite, one, 405, { headers: [['allow', allow]] });
  };
  expect(judged('unknown method', 'POST')).toEqual(['allow-header']);
  expect(judged('unknown method', 'HEAD, GET,POST')).toEqual([]);
  expect(judged('accepted', 'GET')).not.toContain('allow-header');
});

describe('an unknown path', () => {
  // The operation declares 404 for something else than HTTP does.
  const contract = CONTRACT.replace(
    "        '500':\n          $ref",
    "        '404':\n          description: There is no such garden.\n          headers: { X-Garden: { required: true, schema: { type: string } } }\n          content: { application/json: { schema: { type: object } } }\n        '500':\n          $ref",
  );

  test('its 404 is not what an operation declares for its own', () => {
    const suite = createSuite(contract, { marker: 'mark', level: 'robust' });
    expect(suite.model.operations.map(({ replies }) => replies.has('404'))).toEqual([true]);
    const [one] = suite.cases.filter(({ expect: expected }) => expected === 'unknown path');
    const right = suite.cases.find(({ expect: expected }) => expected === 'accepted');
    expect(judgeIn(suite, one, 404, HTML)).toEqual([]);
    // The operation's own is held to it.
    expect(judgeIn(suite, right, 404, HTML)).toEqual(expect.arrayContaining(['content-type', 'declared-header']));
  });
});

describe.each([413, 415, 431])('%i', (status) => {
  test.each(['contract', 'robust'] as const)('is no finding at %s, in any shape', (level) => {
    for (const [kind, label] of [
      ['negative', 'required, without name'],
      ['media-type', 'the type text/plain'],
    ] as const)
      expect(checks(find(kind, label), status, level, HTML)).toEqual([]);
  });
});

test('a charset and undeclared headers are no finding', () => {
  const headers: Header[] = [
    ['content-type', 'application/json; charset=utf-8'],
    ['x-another', '1'],
    ['x-another', '2'],
  ];
  const one = find('positive', 'every property');
  const body = '{"name":"mark","tag":"mark","another":1}';
  expect(checks(one, 200, 'robust', { body, headers })).toEqual([]);
});

// RFC 9110 11.4 recommends 401, 15.5.4 allows 404; RFC 6750 3.1 recommends 400 for malformed credentials.
test.each([
  ['no credentials', 403, ['refusal-status']],
  ['a wrong secret', 403, ['refusal-status']],
  ['no credentials', 400, ['refusal-status']],
  ['a wrong secret', 400, []],
  ['no credentials', 404, []],
])('%s: the status %i is judged only at robust, where the findings are %j', (label, status, found) => {
  const names = (level: Level): CheckName[] =>
    checks(find('auth', label), status, level).filter((name) => name === 'refusal-status');
  expect([names('contract'), names('robust')]).toEqual([[], found]);
});

test('what a discriminator alone says is demanded neither of bodies nor of responses', () => {
  const branch = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } };
  const schema = {
    anyOf: ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
    discriminator: { propertyName: 'kind' },
  };
  const content = { 'application/json': { schema } };
  const operation = { operationId: 'keep', requestBody: { content, required: true }, responses: { 200: { content } } };
  const contract = JSON.stringify({
    ...{ openapi: '3.1.0', info: { title: 'Pets', version: '1' } },
    ...{ paths: { '/pets': { post: operation } }, components: { schemas: { Cat: branch, Dog: branch } } },
  });
  const suite = createSuite(contract, { marker: 'mark' });
  const open = suite.cases.find((one) => one.class === 'positive' && one.request.body?.includes('"kind":"') === true);
  const wrong = suite.cases.find(
    (one) => one.class === 'negative' && one.implementationDefined?.startsWith('OpenAPI 3.0.4') === true,
  );
  const checksOf = (one: Case | undefined, body: string): CheckName[] =>
    judgeIn(suite, one, 200, { headers: JSON_TYPE, body });
  expect(checksOf(open, '{"kind":"Bird"}')).not.toContain('schema');
  expect(checksOf(wrong, '{"kind":"Cat"}')).not.toContain('invalid-accepted');
});

test.each<[status: number, of: string, level: Level, found: string[]]>([
  [422, 'declared', 'robust', []],
  [422, 'not declared', 'contract', ['valid-refused']],
  [400, 'declared', 'contract', ['valid-refused']],
])('%i to a valid request, where it is %s, is at %s: %j', (status, of, level, found) => {
  const more = "        '422':\n          description: No.\n        '500':\n";
  const contract = of === 'declared' ? CONTRACT.replace("        '500':\n", more) : CONTRACT;
  const suite = createSuite(contract, { marker: 'mark', level });
  const one = suite.cases.find(({ class: name }) => name === 'positive');
  expect(judgeIn(suite, one, status).filter((name) => name === 'valid-refused')).toEqual(found);
});

test.each([
  [422, [], ['addBook']],
  [302, [], []],
])(
  'that no request has success is a finding from robust on where %i, which is declared, refuses it',
  async (status, ...found) => {
    await using server = await serveReplies((_req, res) => res.writeHead(status).end());
    const contract = BOOKS.replaceAll("'400':", `'${String(status)}':`);
    const counts = (['contract', 'robust'] as const).map(async (level) => {
      const suite = createSuite(contract, { marker: 'mark', level });
      const target = { base: server.base, secrets: { token: 'right' }, timeout: 60_000 };
      const refused: string[] = [];
      for await (const { case: one, findings } of runSuite(suite, target, { isWanted: isAddBook }))
        refused.push(...findings.flatMap(({ check }) => (check === 'valid-refused' ? [one.operation] : [])));
      return refused;
    });
    await expect(Promise.all(counts)).resolves.toEqual(found);
  },
);

test('each request has an idempotency key of its own, and a name that an earlier run has taken is no finding', async () => {
  const contract = BOOKS.replace(
    'requestBody: {',
    'parameters: [{ name: Idempotency-Key, in: header, required: true, schema: { type: string, minLength: 20 } }]\n      requestBody: {',
  ).replace("'400': {", "'409': { description: It is there. }, '422': { description: Another body. }, '400': {");
  const bodies = new Map<string, string>();
  const titles = new Set<string>();
  await using server = await serveReplies((req, res, body) => {
    const key = String(req.headers['idempotency-key']);
    const isReused = (bodies.get(key) ?? body) !== body;
    bodies.set(key, body);
    const { title } = JSON.parse(body) as { title: string };
    const isTaken = titles.has(title);
    titles.add(title);
    res.writeHead(isReused ? 422 : isTaken ? 409 : 200, { 'content-type': 'application/json' }).end(body);
  });
  const suite = createSuite(contract, { marker: 'mark', level: 'robust' });
  const target = { base: server.base, secrets: { token: 'right' }, timeout: 60_000 };
  const statuses: number[] = [];
  for (const _run of [1, 2]) {
    for await (const { replies, findings } of runSuite(suite, target, { isWanted: isAddBook })) {
      statuses.push(...replies.map(({ status }) => status));
      expect(findings).toEqual([]);
    }
  }
  expect(new Set(statuses)).toEqual(new Set([200, 409]));
});

function isAddBook({ operation, class: name }: CaseKind): boolean {
  return operation.id === 'addBook' && (name === 'positive' || name === 'control');
}
