import { loadText } from '@contract-kit/test-support/load-text';
import { contractWith, serveOperation, statusesOf } from '@contract-kit/test-support/serve-operation';

const DRAFT_07 = "$schema: 'https://json-schema.org/draft-07/schema#'";
const DRAFT_06 = DRAFT_07.replace('7', '6');
const DRAFT_04 = DRAFT_07.replace('7', '4');
const OF_2020 = "$schema: 'https://json-schema.org/draft/2020-12/schema'";
const HEAD_07 = "3.1.0\njsonSchemaDialect: 'https://json-schema.org/draft-07/schema#'";
const HEAD_2019 = "3.1.0\njsonSchemaDialect: 'https://json-schema.org/draft/2019-09/schema'";
const TO_B = "$ref: '#/components/schemas/B'";
const HERE = '#/paths/~1a/post/requestBody/content/application~1json/schema/definitions';
const schemas = { B: '{ type: object, properties: { b: { type: string } } }' };

test.each<[string, string, readonly unknown[], readonly unknown[]]>([
  ['an unknown keyword', '{ type: string, unresolvedProperties: false, dependencies: { a: [b] } }', ['a'], [1]],
  [
    'flags of draft-04',
    `{ ${DRAFT_04}, type: number, minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false }`,
    [2, 3],
    [1, 4],
  ],
  ['no limit', `{ ${DRAFT_04.replace('#', '')}, type: number, exclusiveMinimum: true }`, [1], ['1']],
  ['keywords beside a reference in draft-07', `{ ${DRAFT_07}, ${TO_B}, required: [c] }`, [{}], [{ b: 1 }]],
  [
    'keywords beside a reference, inside of a schema of draft-07',
    `{ ${DRAFT_07}, properties: { a: { ${TO_B}, required: [c] } } }`,
    [{ a: {} }],
    [{ a: { b: 1 } }],
  ],
  ['keywords beside it in 2020-12', `{ ${OF_2020}, ${TO_B}, required: [c] }`, [{ c: 1 }], [{}, { b: 1, c: 1 }]],
  [
    'true and false below definitions',
    `{ ${DRAFT_07}, definitions: { A: true, B: false }, properties: { a: { $ref: '${HERE}/A' }, b: { $ref: '${HERE}/B' } } }`,
    [{ a: 1 }],
    [{ b: 1 }],
  ],
  ['$recursiveRef in 2020-12, which has no such keyword', '{ type: array, items: { $recursiveRef: "#" } }', [[1]], [1]],
  ['a format of no standard', '{ type: string, format: url }', ['a'], [1]],
  ['a pattern that is not valid as Unicode', String.raw`{ type: string, pattern: '^\-{$' }`, ['-{'], ['-']],
  ['such names', String.raw`{ patternProperties: { '^\-$': { type: string } } }`, [{ '-': '' }], [{ '-': 1 }]],
])('a schema with %s is that of its dialect', async (_what, body, right, wrong) => {
  await using served = await serveOperation({ body, schemas });
  const statuses = [...right.map(() => 204), ...wrong.map(() => 400)];
  const bodies = [...right, ...wrong].map((value) => JSON.stringify(value));
  expect(await statusesOf(served, bodies)).toEqual(statuses);
});

test('the dialect of a contract is that of its schemas', async () => {
  const version = "3.1.0\njsonSchemaDialect: 'http://json-schema.org/draft-04/schema#'";
  await using served = await serveOperation({ version, body: `{ ${TO_B}, required: [c] }`, schemas });
  await expect(statusesOf(served, [{}])).resolves.toEqual([204]);
});

test.each([
  ["{ $schema: 'https://example.com/own' }", '/schema/$schema names a dialect that the kit does not know'],
  ['{}', '#/jsonSchemaDialect names a dialect', '3.1.0\njsonSchemaDialect: a'],
  [`{ ${DRAFT_04}, minimum: 1, exclusiveMaximum: 3 }`, 'exclusiveMaximum must be true or false'],
  [`{ ${DRAFT_04}, dependencies: {} }`, '/schema/dependencies is not supported: write'],
  ['{ not: { dependencies: {} } }', '/not/dependencies is not supported', HEAD_07],
  [`{ ${DRAFT_07}, items: [true] }`, '/schema/items items must be a schema'],
  ["{ items: { $recursiveRef: '#' } }", '/items/$recursiveRef is not supported, because its target', HEAD_2019],
  ['{ items: { prefixItems: [{}] } }', '/items/prefixItems is newer than the dialect of the schema', HEAD_2019],
  ['{ unevaluatedItems: false }', '/unevaluatedItems has had another meaning since 2020-12', HEAD_2019],
  ['{ contains: {}, minContains: 2 }', '/minContains is newer', HEAD_07],
  [`{ ${DRAFT_06}, if: {}, then: false }`, '/if is newer'],
  [`{ ${DRAFT_04}, items: { const: 1 } }`, '/items/const is newer'],
  ['{ unknown: 1 }', 'OpenAPI 3.0 has no schema keyword unknown', '3.0.3'],
])('what the kit does not know is refused: %s', (body, message, version = '3.1.0') => {
  expect(() => loadText(contractWith({ version, body, schemas }))).toThrow(message);
});
