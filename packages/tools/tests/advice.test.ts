import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkContract } from '../src/check/check-contract';
import { generate } from '../src/generate/generate';
import { useFolder } from '../../../tests/support/use-folder';

const folder = useFolder();
const file = join(folder, 'openapi.yaml');

// Lines are counted below. It has no license, servers, security, operationIds, nor a version that can be compared.
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
        - { name: id, in: path, required: true, schema: { type: integer, format: int64, example: 99999999999999999999 } }
        - { name: Accept, in: header, schema: { type: string } }
      callbacks: { done: { '{$request.query.url}': { post: { operationId: get, responses: {} } } } }
      responses: { '200': { description: One., content: { application/json: {} } } }
webhooks:
  moved: { post: { operationId: moved, responses: { '200': { description: Seen. } } } }
components: { securitySchemes: { unused: { type: mutualTLS } } }
`;

async function check(source: string, isStrict = false): ReturnType<typeof checkContract> {
  writeFileSync(file, source);
  const result = await checkContract(file, join(folder, 'contracts'), { isStrict });
  const tidy = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(`${folder}/`, ''));
  return { ...result, problems: tidy(result.problems), advice: tidy(result.advice) };
}

test('what could be better prevents nothing, and is told once for each cause, with its places', async () => {
  const { problems, advice } = await check(PLAIN);
  expect(problems).toEqual([]);
  expect(advice).toContainEqual(
    'openapi.yaml:6:5 Every operation should have security defined on it or on the root level. (3 times, also at 7:5, 9:5)',
  );
  expect(advice).toContainEqual(
    'openapi.yaml:2:25 the version is no semantic one, such as 1.0.0: releases cannot be compared',
  );
  expect(advice).toContainEqual('openapi.yaml:12:98 99999999999999999999 is no int64');
  const lines = advice.map((line) => Number(line.split(':')[1]));
  expect(lines).toEqual(lines.toSorted((one, other) => one - other));
});

test('in strict mode it is an error', async () => {
  const { advice } = await check(PLAIN);
  await expect(check(PLAIN, true)).resolves.toMatchObject({ problems: advice, advice: [] });
});

test('what follows from what is not said is told', async () => {
  const { notes } = await check(PLAIN);
  expect(notes.slice(0, 2)).toEqual([
    'Named by method and path, since no operationId of its own can name the handler: GET /parcels is getParcels, POST /parcels is postParcels, GET /parcels/{id} is getParcelsById',
    'Public, since the contract asks for no credentials: all operations',
  ]);
  const some = await check(
    PLAIN.replace('paths:', 'security: [{ key: [] }]\npaths:')
      .replace('unused: { type: mutualTLS }', 'key: { type: http, scheme: bearer }')
      .replace('post: { responses', 'post: { security: [], responses'),
  );
  expect(some.notes).toContainEqual('Public, since the contract asks for no credentials: postParcels');
});

test('only what is served has types: no webhook, no callback, no scheme that is not used, no header that is ignored', async () => {
  const { 'api.d.ts': types = '' } = await generate(PLAIN, file);
  const [, operations = ''] = types.split('export interface operations {');
  expect([...operations.matchAll(/^ {4}(\w+): \{$/gm)].map(([, name]) => name)).toEqual([
    'getParcels',
    'postParcels',
    'getParcelsById',
  ]);
  expect(types).toContain('export type securitySchemes = never;');
  expect(types).not.toContain('Accept');
});

test.each(['redocly.yaml', '.config/redocly.yaml'])('a %s counts for contracts in its folder', async (name) => {
  mkdirSync(join(folder, '.config'), { recursive: true });
  writeFileSync(join(folder, name), 'rules:\n  info-license: warn\n');
  try {
    await expect(check(PLAIN)).resolves.toMatchObject({
      advice: [
        expect.stringContaining('license'),
        expect.stringContaining('semantic'),
        expect.stringContaining('int64'),
      ],
    });
  } finally {
    rmSync(join(folder, name));
  }
});

test('mistakes of all layers are one list, and one that is there often is one line', async () => {
  const wrong = `{ parameters: [{ name: c, in: query, schema: { type: string, pattern: '[' } }], responses: {} }`;
  const source = `openapi: 3.0.3
info: { title: Wrong, version: 1.0.0 }
paths:
  /a: { get: ${wrong}, put: ${wrong}, post: ${wrong}, delete: ${wrong}, patch: ${wrong} }
  /b: { get: { security: [{ key: [] }], responses: { '200': { description: '' } } } }
  /d: { get: { parameters: 1, responses: { '200': { $ref: '#/components/responses/Gone' } } } }
components: { securitySchemes: { key: { type: http, scheme: digest } } }
x-error-catalogue: { WRONG: { number: 1.5 } }
`;
  const { problems } = await check(source);
  const starts = problems.map((line) => /^openapi\.yaml:\d+/.exec(line)?.[0]);
  expect(starts).toEqual(starts.toSorted());
  expect(problems).toContainEqual(
    expect.stringMatching(
      /^openapi\.yaml:4:\d+ Invalid regular expression: .* \(5 times, also at 4:\d+, 4:\d+, 4:\d+, \.\.\.\)$/,
    ),
  );
  for (const text of [
    'Invalid regular expression',
    'is no security scheme of the kit',
    "Can't resolve $ref",
    'WRONG: it needs a number',
    'Expected type',
  ]) {
    expect(problems.filter((line) => line.includes(text))).toHaveLength(1);
  }
});
