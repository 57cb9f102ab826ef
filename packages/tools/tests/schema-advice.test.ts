import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, findSchemaAdvice, parseYaml } from '@contract-kit/contract';
import { checkContract } from '../src/check/check-contract';

/** What is advised for the schema `A`, beside `B` and `C`, without the advice of the linter. */
async function adviceOf(schema: string, more: string, version = '3.1.0'): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'advice-'));
  try {
    const file = join(folder, 'openapi.yaml');
    writeFileSync(join(folder, 'redocly.yaml'), 'rules: {}\n');
    writeFileSync(
      file,
      `openapi: ${version}
info: { title: A, version: 1.0.0 }
paths: { /a: { get: { operationId: a, responses: { '200': { description: A., content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } } } } } }
components:
  schemas:
    A: ${schema}
    ${more}
`,
    );
    const { errors, advice } = await checkContract(file, join(folder, 'contracts'));
    expect(errors).toEqual([]);
    return advice.map((line) => line.replace(folder, ''));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const B = 'B: { type: object, properties: { kind: { type: string } } }';
const LIST = "oneOf: [{ $ref: '#/components/schemas/B' }]";

test.each([
  [
    'what OpenAPI 3.0 ignores',
    "{ type: object, properties: { b: { $ref: '#/components/schemas/B', readOnly: true } } }",
    B,
    '3.0.3',
    '/openapi.yaml:6:41 OpenAPI 3.0 ignores readOnly next to $ref: write an allOf with the reference, and readOnly next to it',
  ],
  [
    'a default of another type',
    '{ type: object, properties: { a: { type: array, default: {} } } }',
    B,
    '3.1.0',
    '/openapi.yaml:6:56 the default does not match its schema: it is not filled in',
  ],
  [
    'a discriminator of nothing',
    '{ type: object, discriminator: { propertyName: kind }, properties: { kind: { type: string } } }',
    B,
    '3.1.0',
    '/openapi.yaml:6:24 kind does not select a schema here, and is not checked: refer to the schemas in oneOf',
  ],
  [
    'a tag that is readOnly',
    `{ ${LIST}, discriminator: { propertyName: kind } }`,
    B.replace('type: string', 'type: string, readOnly: true'),
    '3.1.0',
    '/openapi.yaml:7:60 readOnly has no effect here, because requests and responses both need the property that a discriminator reads: remove it',
  ],
  [
    'an unknown keyword',
    '{ type: object, dependencies: { a: [b] } }',
    B,
    '3.1.0',
    '/openapi.yaml:6:24 OpenAPI 3.1 has no schema keyword dependencies: it is ignored',
  ],
  [
    'nullable in OpenAPI 3.1',
    '{ type: string, nullable: true }',
    B,
    '3.1.0',
    "/openapi.yaml:6:24 OpenAPI 3.1 has no nullable, so null is refused: write type: [..., 'null']",
  ],
  [
    'a default of a condition',
    "{ if: true, then: { allOf: [true, { $ref: '#/components/schemas/B' }] } }",
    'B: { type: object, properties: { a: { type: string, default: b } } }',
    '3.1.0',
    '/openapi.yaml:6:20 a default inside then is not filled in: the handler gets what was sent',
  ],
  [
    'a default inside alternatives',
    `{ ${LIST} }`,
    'B: { type: object, properties: { a: { type: string, default: b } } }',
    '3.1.0',
    '/openapi.yaml:6:10 a default inside oneOf is not filled in: the handler gets what was sent',
  ],
])('%s is advised, and served', async (...[, schema, more, version, line]) => {
  await expect(adviceOf(schema, more, version)).resolves.toEqual([line]);
});

test('a format that nothing checks is told once, with the first operations that use it', async () => {
  const item = "{ $ref: '#/components/schemas/B' }";
  const more = `B: { type: string, format: phone }\n    C: { type: string, format: unused }`;
  const advice = await adviceOf(`{ type: object, properties: { a: ${item}, b: ${item}, c: { format: phone } } }`, more);
  expect(advice).toEqual([
    '/openapi.yaml:7:24 nothing checks the format phone, of GET /a: say what is right by other keywords, such as pattern (2 times, also at 6:121)',
  ]);
});

test('of many operations that use a format that nothing checks, the first ones are named', () => {
  const path = (name: string): string =>
    `/${name}: { get: { operationId: ${name}, responses: { '200': { $ref: '#/components/responses/A' } } } }`;
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths: { ${['a', 'b', 'c', 'd', 'e'].map(path).join(', ')} }
components: { responses: { A: { description: A., content: { text/plain: { schema: { type: [string, 'null'], format: iban } } } } } }
`;
  const messages = findSchemaAdvice(parseYaml(source, 'a.yaml') as Document).map(({ message }) => message);
  expect(messages).toEqual([
    'nothing checks the format iban, of GET /a, GET /b, GET /c and 2 more: say what is right by other keywords, such as pattern',
  ]);
});

test.each([
  ['a list', `{ ${LIST}, discriminator: { propertyName: kind } }`, B],
  [
    'a parent with heirs',
    '{ type: object, discriminator: { propertyName: kind }, properties: { kind: { type: string } } }',
    "B: { allOf: [{ $ref: '#/components/schemas/A' }] }",
  ],
  [
    'a hierarchy',
    `{ ${LIST}, discriminator: { propertyName: kind } }`,
    `B: { oneOf: [{ $ref: '#/components/schemas/C' }], discriminator: { propertyName: kind } }\n    ${B.replace('B', 'C')}`,
  ],
  ['a choice', `{ oneOf: [true, { $ref: '#/components/schemas/B' }] }`, B],
  [
    'what counts beside a reference',
    "{ type: object, properties: { b: { $ref: '#/components/schemas/B', readOnly: true } } }",
    B,
  ],
])('%s is not', async (_, schema, more) => {
  await expect(adviceOf(schema, more)).resolves.toEqual([]);
});
