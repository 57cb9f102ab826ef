import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, findSchemaAdvice, parseYaml } from '@contract-kit/contract';
import { checkContract } from '../src/check/check-contract';

/** The advice for a contract with the schema `A`, without the linter's advice. `more` has other schemas. */
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
    'a keyword next to $ref, which OpenAPI 3.0 ignores,',
    "{ type: object, properties: { b: { $ref: '#/components/schemas/B', readOnly: true } } }",
    B,
    '3.0.3',
    '/openapi.yaml:6:41 OpenAPI 3.0 ignores readOnly next to $ref; move the reference into an allOf, and keep readOnly next to the allOf',
  ],
  [
    'a default of the wrong type',
    '{ type: object, properties: { a: { type: array, default: {} } } }',
    B,
    '3.1.0',
    '/openapi.yaml:6:56 the default does not match its schema: it is not filled in',
  ],
  [
    'a discriminator without alternatives',
    '{ type: object, discriminator: { propertyName: kind }, properties: { kind: { type: string } } }',
    B,
    '3.1.0',
    '/openapi.yaml:6:24 the discriminator kind is ignored, because it has no schemas to choose from; refer to them in a oneOf next to it',
  ],
  [
    'a readOnly property that a discriminator reads',
    `{ ${LIST}, discriminator: { propertyName: kind } }`,
    B.replace('type: string', 'type: string, readOnly: true'),
    '3.1.0',
    '/openapi.yaml:7:60 readOnly is ignored here, because the discriminator reads this property in requests and responses; remove it',
  ],
  [
    'an unknown keyword',
    '{ type: object, dependencies: { a: [b] } }',
    B,
    '3.1.0',
    '/openapi.yaml:6:24 the unknown schema keyword "dependencies" has no effect; correct or remove it',
  ],
  [
    'a nullable beside an enum without null',
    '{ type: string, nullable: true, enum: [a] }',
    B,
    '3.0.3',
    '/openapi.yaml:6:24 nullable has no effect, because the enum beside it does not allow null; add null to it',
  ],
  ...[
    ['allOf', "allOf: [{ $ref: '#/components/schemas/B' }]"],
    ['allOf', "allOf: [{ allOf: [{ $ref: '#/components/schemas/B' }] }]"],
    ['anyOf', "anyOf: [{ $ref: '#/components/schemas/B' }, { enum: [{}] }]"],
    ['oneOf', "oneOf: [{ $ref: '#/components/schemas/B' }, { allOf: [{ type: object }] }]"],
  ].map(([keyword = '', text = '']): [string, string, string, string, string] => [
    `a nullable beside ${text}`,
    `{ nullable: true, ${text} }`,
    B,
    '3.0.3',
    `/openapi.yaml:6:10 nullable has no effect, because the ${keyword} beside it does not allow null; make its schemas nullable, too`,
  ]),
  [
    'nullable in OpenAPI 3.1',
    '{ type: string, nullable: true }',
    B,
    '3.1.0',
    "/openapi.yaml:6:24 OpenAPI 3.1 ignores nullable, so null is rejected; write type: [..., 'null'] instead",
  ],
  [
    'a default inside a condition',
    "{ if: true, then: { allOf: [true, { $ref: '#/components/schemas/B' }] } }",
    'B: { type: object, properties: { a: { type: string, default: b } } }',
    '3.1.0',
    '/openapi.yaml:6:20 a default inside then is not filled in; the handler gets the value as it was sent',
  ],
  [
    'a default inside alternatives',
    `{ ${LIST} }`,
    `B: { type: object, properties: { a: { $ref: '#/components/schemas/C' } } }\n    C: { type: string, default: b }`,
    '3.1.0',
    '/openapi.yaml:6:10 a default inside oneOf is not filled in; the handler gets the value as it was sent',
  ],
])('%s gets advice, and the contract is still served', async (...[, schema, more, version, line]) => {
  await expect(adviceOf(schema, more, version)).resolves.toEqual([line]);
});

test.each([
  ['an enum with null', '{ type: string, nullable: true, enum: [a, null] }'],
  [
    'a nullable allOf',
    "{ nullable: true, allOf: [{ $ref: '#/components/schemas/N' }], anyOf: [{ $ref: '#/components/schemas/N' }] }",
  ],
  ['a schema inside itself', "{ nullable: true, properties: { a: { $ref: '#/components/schemas/A' } } }"],
  ['nothing', '{ type: string, nullable: true }'],
])('a nullable beside %s gets no advice', async (_, schema) => {
  await expect(adviceOf(schema, 'N: { type: object, nullable: true }', '3.0.3')).resolves.toEqual([]);
});

test('a nullable that applies to itself is left to the errors of the contract', () => {
  const source = `openapi: 3.0.3
info: { title: A, version: 1.0.0 }
paths: {}
components: { schemas: { A: { nullable: true, allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/no' }] } } }
`;
  expect(findSchemaAdvice(parseYaml(source, 'a.yaml') as Document)).toEqual([]);
});

test('a format that is not checked is reported once, with the operations that use it', async () => {
  const item = "{ $ref: '#/components/schemas/B' }";
  const more = `B: { type: string, format: phone }\n    C: { type: string, format: unused }`;
  const advice = await adviceOf(`{ type: object, properties: { a: ${item}, b: ${item}, c: { format: phone } } }`, more);
  expect(advice).toEqual([
    '/openapi.yaml:7:24 the format phone is not checked (used by GET /a); add a pattern or another keyword (2 times, also at 6:121)',
  ]);
});

test('a format in a path item without operations is not reported', () => {
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths: { /a: { parameters: [{ name: b, in: query, schema: { type: string, format: iban } }] } }
`;
  expect(findSchemaAdvice(parseYaml(source, 'a.yaml') as Document)).toEqual([]);
});

test('the advice about a format that many operations use names only the first three', () => {
  const path = (name: string): string =>
    `/${name}: { get: { operationId: ${name}, responses: { '200': { $ref: '#/components/responses/A' } } } }`;
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths: { ${['a', 'b', 'c', 'd', 'e'].map(path).join(', ')} }
components: { responses: { A: { description: A., content: { text/plain: { schema: { type: [string, 'null'], format: iban } } } } } }
`;
  const messages = findSchemaAdvice(parseYaml(source, 'a.yaml') as Document).map(({ message }) => message);
  expect(messages).toEqual([
    'the format iban is not checked (used by GET /a, GET /b, GET /c and 2 more); add a pattern or another keyword',
  ]);
});

test.each([
  ['a discriminator with alternatives', `{ ${LIST}, discriminator: { propertyName: kind } }`, B],
  [
    'a discriminator that schemas inherit through allOf',
    '{ type: object, discriminator: { propertyName: kind }, properties: { kind: { type: string } } }',
    "B: { allOf: [{ $ref: '#/components/schemas/A' }] }",
  ],
  [
    'a discriminator inside an alternative of another one',
    `{ ${LIST}, discriminator: { propertyName: kind } }`,
    `B: { oneOf: [{ $ref: '#/components/schemas/C' }], discriminator: { propertyName: kind } }\n    ${B.replace('B', 'C')}`,
  ],
  ['an alternative that is true', `{ oneOf: [true, { $ref: '#/components/schemas/B' }] }`, B],
  [
    'readOnly next to $ref in OpenAPI 3.1',
    "{ type: object, properties: { b: { $ref: '#/components/schemas/B', readOnly: true } } }",
    B,
  ],
])('%s gets no advice', async (_, schema, more) => {
  await expect(adviceOf(schema, more)).resolves.toEqual([]);
});
