import { mkdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkContract } from '../src/check/check-contract';
import { generate } from '../src/generate/generate';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { noteUndeclaredStatuses } from '../src/lint/analyse-contract';
import { readOperations, parseYaml, type Document } from '@contract-kit/contract';
import { lintContract } from '../src/lint/lint-contract';
import { bundleContract } from '../src/bundle/bundle-contract';
import { patch } from '@contract-kit/test-support/load-text';

const folder = useFolder();
const file = join(folder, 'openapi.yaml');

// Lines are counted below. It has no license, servers, security or operationIds.
const PLAIN = `openapi: 3.1.0
info: { title: Parcels, version: 1.0 }
x-codeSamples: [{ name: not of Redocly }]
paths:
  /parcels:
    get: { responses: { '200': { description: All. } } }
    post: { responses: { '200': { description: One. } } }
  /parcels/{id}:
    get:
      operationId: get/parcel
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
        - { name: Accept, in: header, schema: { type: string } }
      callbacks: { done: { '{$request.query.url}': { post: { operationId: get, responses: {} } } } }
      responses: { '200': { description: One., content: { application/json: {} } } }
webhooks:
  moved: { post: { operationId: moved, responses: { '200': { description: Seen. } } } }
components: { securitySchemes: { unused: { type: mutualTLS } } }
`;

async function check(source: string): ReturnType<typeof checkContract> {
  writeFileSync(file, source);
  const result = await checkContract(file, join(folder, 'contracts'));
  const tidy = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(`${folder}/`, ''));
  return { ...result, errors: tidy(result.errors), advice: tidy(result.advice) };
}

test('each finding of Redocly is printed once with its rule and its places, and is not an error', async () => {
  const { errors, advice } = await check(PLAIN);
  expect(errors).toEqual([]);
  expect(advice).toContainEqual(
    'openapi.yaml:6:5 Every operation should have security defined on it or on the root level. (security-defined) (5 times, also at 7:5, 9:5, 14:54, ...)',
  );
  const lines = advice.map((line) => Number(line.split(':')[1]));
  expect(lines).toEqual(lines.toSorted((one, other) => one - other));
});

test('Redocly also reads closing brackets that YAML requires to be indented further', async () => {
  const source = PLAIN.replace('webhooks:\n', 'x-a: {\n  b: [\n]\n}\nwebhooks:\n');
  await expect(check(source)).resolves.toMatchObject({ errors: [] });
});

test('notes name the consequences of omissions, such as public operations', async () => {
  const { notes } = await check(PLAIN);
  expect(notes.slice(0, 1)).toEqual([
    'Anyone can call these operations, because the contract requires no credentials: all operations',
  ]);
  const some = await check(
    PLAIN.replace('paths:', 'security: [{ key: [] }]\npaths:')
      .replace('unused: { type: mutualTLS }', 'key: { type: http, scheme: bearer }')
      .replace('post: { responses', 'post: { security: [], responses'),
  );
  expect(some.notes).toContainEqual(
    'Anyone can call these operations, because the contract requires no credentials: postParcels',
  );
});

test('a note tells where a segment with two parameters is split', async () => {
  const parameter = '- { name: id, in: path, required: true, schema: { type: integer, format: int64 } }';
  const extension = '- { name: ext, in: path, required: true, schema: { enum: [json, csv] } }';
  const source = PLAIN.replace('/{id}', '/{id}.{ext}').replace(parameter, `${parameter}\n        ${extension}`);
  const [note, ...others] = (await check(source)).notes.filter((line) => line.includes('segment'));
  expect(note).toMatch(/are split where the text between them is last, .*: \/parcels\/\{id\}\.\{ext\}$/);
  expect(others).toEqual([]);
  expect((await check(PLAIN)).notes.join()).not.toContain('segment');
});

test('fields of encodings that have no effect are advice, each with its places', async () => {
  const media = (encoding: string): string =>
    `{ schema: { type: object, properties: { a: { type: string } } }, encoding: { ${encoding} } }`;
  const toBody = (type: string, encoding: string): string => `content: { ${type}: ${media(encoding)} }`;
  const source = `openapi: 3.0.3
info: { title: A, version: 1.0.0 }
paths:
  /a:
    post:
      requestBody: { $ref: '#/components/requestBodies/A' }
      responses: { '200': { description: One., ${toBody('application/json', 'a: {}')} } }
    put:
      requestBody: { $ref: '#/components/requestBodies/A' }
      responses: { '204': { description: Done. } }
components:
  requestBodies:
    A: { ${toBody('multipart/form-data', 'a: { style: form, headers: {} }, b: {}')} }
`;
  const { errors, advice } = await check(source);
  const lines = advice.filter((line) => line.includes('has no effect'));
  expect(errors).toEqual([]);
  expect(lines.map((line) => line.replace(/^openapi\.yaml:(\d+):\d+ /, '$1 '))).toEqual([
    '7 encoding has no effect, except on the form of a request',
    expect.stringMatching(/^13 style has no effect in multipart\/form-data .* before OpenAPI 3.1 \(2 times\)$/),
    expect.stringMatching(/^13 headers has no effect on a form, because .* \(2 times\)$/),
    '13 b has no effect, because the form has no such property (2 times)',
  ]);
});

test('webhooks, callbacks, unused security schemes and ignored headers have no types', async () => {
  const { 'api.d.ts': types = '' } = await generate(PLAIN, file);
  const [, operations = ''] = types.split('export interface operations {');
  expect([...operations.matchAll(/^ {4}(\w+): \{$/gm)].map(([, name]) => name)).toEqual([
    'getParcels',
    'postParcels',
    'getParcel',
  ]);
  expect(types).toContain('export type securitySchemes = never;');
  expect(types).not.toContain('Accept');
});

test('fields that OpenAPI does not allow are found without a redocly.yaml, even in unused components', async () => {
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0, license: { name: a, identifier: MIT } }
paths: {}
components:
  parameters:
    e: { name: b, in: query, schema: {}, example: 1, examples: { c: { value: 1 } } }
    s: { name: p, in: query, style: form, content: { application/json: {} } }
    p: { name: p, in: path, required: true, allowReserved: true, schema: {} }
    n: { name: 'a b', in: header, schema: {} }
    q: { name: q, in: query, schema: {}, allowReserved: true }
  headers: { H: { schema: {}, allowReserved: true } }
`;
  const lines = (await check(source)).advice.filter((line) => line.includes('(rule/'));
  expect(lines.map((line) => line.replace(/^openapi.yaml:(\d+):.*\(rule\/(.*)\)$/, '$1 $2'))).toEqual([
    '6 parameter-examples',
    '7 content-style',
    '8 path-allowReserved',
    '9 header-name',
    '11 header-allowReserved',
  ]);
});

test.each(['redocly.yaml', '.config/redocly.yaml'])('a %s applies to contracts in its folder', async (name) => {
  mkdirSync(join(folder, '.config'), { recursive: true });
  writeFileSync(join(folder, name), 'rules:\n  info-license: warn\n');
  try {
    await expect(check(PLAIN)).resolves.toMatchObject({
      advice: [expect.stringContaining('license')],
    });
  } finally {
    rmSync(join(folder, name));
  }
});

test('errors of all kinds are one list, and a repeated error is one line', async () => {
  const wrong = `{ parameters: [{ name: c, in: query, schema: { type: string, pattern: '[' } }], responses: {} }`;
  const source = `openapi: 3.0.3
info: { title: Wrong, version: 1.0.0 }
paths:
  /a: { get: ${wrong}, put: ${wrong}, post: ${wrong}, delete: ${wrong}, patch: ${wrong} }
  /b: { get: { security: [{ key: [] }], responses: { '200': { description: '' } } } }
  /d: { get: { parameters: 1, responses: { '200': { $ref: '#/components/responses/Gone' } } } }
components: { securitySchemes: { key: { type: http, scheme: a b } } }
`;
  const { errors } = await check(source);
  const starts = errors.map((line) => /^openapi\.yaml:\d+/.exec(line)?.[0]);
  expect(starts).toEqual(starts.toSorted());
  expect(errors).toContainEqual(
    expect.stringMatching(
      /^openapi\.yaml:4:\d+ Invalid regular expression: .* \(5 times, also at 4:\d+, 4:\d+, 4:\d+, \.\.\.\)$/,
    ),
  );
  for (const text of [
    'Invalid regular expression',
    'an http security scheme needs a name',
    'does not exist',
    'parameters must be a list',
  ]) {
    expect(errors.filter((line) => line.includes(text))).toHaveLength(1);
  }
});

const ALL = `'4XX': { description: No. }, 500: { description: No. }, 503: { description: No. }`;

function note(...replies: readonly string[]): string[] {
  const paths = replies.map(
    (one, index) => `  /${String(index)}: { get: { operationId: get${String(index)}, responses: { ${one} } } }`,
  );
  const source = `openapi: 3.1.0\ninfo: { title: A, version: 1.0.0 }\nsecurity: []\npaths:\n${paths.join('\n')}\n`;
  return noteUndeclaredStatuses(readOperations(parseYaml(source, 'a.yaml') as Document).operations);
}

test('no status is noted if each is declared by itself, by a range or by the default', () => {
  expect(note(ALL, 'default: { description: No. }')).toEqual([]);
});

test('undeclared statuses are noted in one line, which groups operations by statuses and names three of each group', () => {
  const none = '200: { description: Yes. }';
  expect(note(none, ALL.replace('500', '501'), none, none, none)).toEqual([
    'The contract does not declare these error responses, so they are problem details (application/problem+json), or made by renderError: 400, 500, 503 for get0, get2, get3, 1 more; 500 for get1',
  ]);
});

type Changes = Readonly<Record<string, unknown>>;

const POST = '/paths/~1plants/post';
const REQUEST = `${POST}/requestBody/content/application~1json`;
const RETRY_AFTER = '/components/responses/ServiceUnavailable/headers/Retry-After';

// A released contract, which stays as it is.
const openapi = parseYaml(readFileSync('packages/test-support/plants/openapi.yaml', 'utf8'), 'openapi.yaml');

// JSON is YAML.
function toYaml(changes: Changes): string {
  return JSON.stringify(patch(openapi, changes), undefined, 2);
}

async function lint(changes: Changes): Promise<string[]> {
  const findings = await lintContract(bundleContract(toYaml(changes), 'openapi.yaml'));
  return findings.map(({ message }) => message);
}

test('the released contract breaks no rule', async () => {
  await expect(lint({})).resolves.toEqual([]);
});

test.each<[string, Changes, string]>([
  ['an operation without 400', { [`${POST}/responses/400`]: undefined }, 'Each operation documents 400.'],
  [
    'an operation with inherited security and no 401',
    { [`${POST}/responses/401`]: undefined },
    'Each operation documents 401, unless it says "security: []" itself.',
  ],
  [
    'an operation with security of its own and no 401',
    { [`${POST}/security`]: [{ bearerAuth: [] }], '/security': [], [`${POST}/responses/401`]: undefined },
    'Each operation documents 401, unless it says "security: []" itself.',
  ],
  [
    'an operation without any 5xx',
    { [`${POST}/responses/500`]: undefined, [`${POST}/responses/503`]: undefined },
    'Each operation documents a 5xx.',
  ],
  [
    'an example of a request body',
    { [`${REQUEST}/examples/tagged/value`]: { id: 'a', name: 'Rose' } },
    '`id` property type must be integer',
  ],
  [
    'an example of a header where it is not checked',
    { [`${RETRY_AFTER}/example`]: -1 },
    'A header has its example in its schema, where it is checked.',
  ],
])('one line for %s', async (_, changes, message) => {
  await expect(lint(changes)).resolves.toContainEqual(expect.stringContaining(message));
});

describe('Redocly', () => {
  const EMPTY = 'openapi: 3.1.0\ninfo: { title: A, version: 1.0.0 }\npaths: {}\n';

  async function lintText(source: string): Promise<string[]> {
    const findings = await lintContract(bundleContract(source, file));
    return findings.map(({ message }) => message);
  }

  test('reports an error that a rule throws', async () => {
    const plugin = "module.exports = () => ({ id: 'a', rules: { oas3: { b() { throw new Error('It broke.'); } } } });";
    writeFileSync(join(folder, 'plugin.cjs'), plugin);
    writeFileSync(join(folder, 'redocly.yaml'), 'plugins: [plugin.cjs]\nrules: { a/b: warn }');
    await expect(lintText(EMPTY)).resolves.toEqual(['It broke. (redocly)']);
  });

  test('leaves out what it is told to ignore', async () => {
    writeFileSync(join(folder, 'redocly.yaml'), 'rules: { info-license: warn }');
    await expect(lintText(EMPTY)).resolves.toEqual(['Info object should contain `license` field. (info-license)']);
    writeFileSync(join(folder, '.redocly.lint-ignore.yaml'), "openapi.yaml: { info-license: ['#/info'] }\n");
    await expect(lintText(EMPTY)).resolves.toEqual([]);
  });
});

test('a public operation needs no 401', async () => {
  const messages = await lint({ [`${POST}/security`]: [], [`${POST}/responses/401`]: undefined });
  expect(messages.filter((message) => message.includes('401'))).toEqual([]);
});
