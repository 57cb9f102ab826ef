import type { AddressInfo } from 'node:net';
import { loadText } from '../../../../tests/support/load-text';
import { serveText } from '../../../../tests/support/serve-text';

const DRAFT = 'https://json-schema.org/draft-0';

const HEAD_07 = `openapi: 3.1.0\njsonSchemaDialect: '${DRAFT}7/schema#'`;
const HEAD_2019 = "openapi: 3.1.0\njsonSchemaDialect: 'https://json-schema.org/draft/2019-09/schema'";
const HERE = '#/paths/~1a/post/requestBody/content/application~1json/schema';

/** A contract whose one operation takes a body of a schema. */
function withSchema(schema: string, head = 'openapi: 3.1.0'): string {
  return `${head}
info: { title: Words, version: 1.0.0 }
paths:
  /a:
    post:
      operationId: send
      requestBody: { content: { application/json: { schema: ${schema} } } }
      responses: { '204': { description: Fine. } }
components: { schemas: { B: { type: object, properties: { b: { type: string } } } } }
`;
}

/** The statuses that bodies get. */
async function statusesOf(source: string, bodies: readonly unknown[]): Promise<number[]> {
  await using served = await serveText(source, { send: (_request, reply) => reply(204) });
  const { port } = served.server.address() as AddressInfo;
  const headers = { 'Content-Type': 'application/json' };
  const replies = bodies.map((body) =>
    fetch(`http://127.0.0.1:${String(port)}/a`, { method: 'POST', headers, body: JSON.stringify(body) }),
  );
  return (await Promise.all(replies)).map(({ status }) => status);
}

test.each<[string, string, readonly unknown[], readonly unknown[]]>([
  ['an unknown keyword', '{ type: string, unresolvedProperties: false, dependencies: { a: [b] } }', ['a'], [1]],
  [
    'flags of draft-04',
    `{ $schema: '${DRAFT}4/schema#', type: number, minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false }`,
    [2, 3],
    [1, 4],
  ],
  [
    'a flag beside a limit without one',
    `{ $schema: '${DRAFT}4/schema#', type: number, minimum: 1, exclusiveMinimum: true, maximum: 3 }`,
    [2, 3],
    [1, 4],
  ],
  ['a flag without its limit', `{ $schema: '${DRAFT}4/schema', type: number, exclusiveMinimum: true }`, [1], ['1']],
  [
    'keywords beside a reference in draft-07',
    `{ $schema: '${DRAFT}7/schema#', $ref: '#/components/schemas/B', required: [c] }`,
    [{}],
    [{ b: 1 }],
  ],
  [
    'keywords beside a reference, inside of a schema of draft-07',
    `{ $schema: '${DRAFT}7/schema#', properties: { a: { $ref: '#/components/schemas/B', required: [c] } } }`,
    [{ a: {} }],
    [{ a: { b: 1 } }],
  ],
  [
    'keywords beside a reference in 2020-12',
    "{ $schema: 'https://json-schema.org/draft/2020-12/schema', $ref: '#/components/schemas/B', required: [c] }",
    [{ c: 1 }],
    [{}, { b: 1, c: 1 }],
  ],
  [
    'true and false below definitions',
    `{ $schema: '${DRAFT}7/schema#', definitions: { A: true, B: false }, properties: { a: { $ref: '${HERE}/definitions/A' }, b: { $ref: '${HERE}/definitions/B' } } }`,
    [{ a: 1 }],
    [{ b: 1 }],
  ],
  ['$recursiveRef in 2020-12, which has no such keyword', '{ type: array, items: { $recursiveRef: "#" } }', [[1]], [1]],
  ['a format of no standard', '{ type: string, format: url }', ['a'], [1]],
  ['a pattern that is not valid as Unicode', String.raw`{ type: string, pattern: '^\-{$' }`, ['-{'], ['-']],
  [
    'names with such a pattern',
    String.raw`{ patternProperties: { '^\-$': { type: string } } }`,
    [{ '-': '' }],
    [{ '-': 1 }],
  ],
])('%s', async (_what, schema, right, wrong) => {
  const statuses = await statusesOf(withSchema(schema), [...right, ...wrong]);
  expect(statuses).toEqual([...right.map(() => 204), ...wrong.map(() => 400)]);
});

test('the dialect of a contract is that of its schemas', async () => {
  const head = `openapi: 3.1.0\njsonSchemaDialect: 'http://json-schema.org/draft-04/schema#'`;
  const source = withSchema("{ $ref: '#/components/schemas/B', required: [c] }", head);
  await expect(statusesOf(source, [{}])).resolves.toEqual([204]);
});

test.each([
  [withSchema("{ $schema: 'https://example.com/own' }"), '/schema/$schema names a dialect that the kit does not know'],
  [withSchema('{}', 'openapi: 3.1.0\njsonSchemaDialect: a'), '#/jsonSchemaDialect names a dialect'],
  [
    withSchema(`{ $schema: '${DRAFT}4/schema', minimum: 1, exclusiveMinimum: true, exclusiveMaximum: 3 }`),
    '/schema/exclusiveMaximum exclusiveMaximum must be true or false',
  ],
  [withSchema(`{ $schema: '${DRAFT}4/schema#', dependencies: {} }`), '/schema/dependencies is not enforced: write'],
  [withSchema('{ not: { dependencies: {} } }', HEAD_07), '/not/dependencies is not enforced'],
  [withSchema(`{ $schema: '${DRAFT}7/schema#', items: [true] }`), '/schema/items items must be a schema'],
  [withSchema("{ items: { $recursiveRef: '#' } }", HEAD_2019), '/schema/items/$recursiveRef what it refers to depends'],
  [withSchema('{ items: { prefixItems: [{}] } }', HEAD_2019), "/items/prefixItems is newer than the schema's dialect"],
  [withSchema('{ unevaluatedItems: false }', HEAD_2019), '/unevaluatedItems means another thing since 2020-12'],
  [withSchema('{ contains: {}, minContains: 2 }', HEAD_07), '/minContains is newer'],
  [withSchema(`{ $schema: '${DRAFT}6/schema#', if: {}, then: false }`), '/if is newer'],
  [withSchema(`{ $schema: '${DRAFT}4/schema#', items: { const: 1 } }`), '/items/const is newer'],
  [withSchema('{ unknown: 1 }', 'openapi: 3.0.3'), 'OpenAPI 3.0 has no schema keyword unknown'],
])('what the kit does not know is refused: %s', (source, message) => {
  expect(() => loadText(source)).toThrow(message);
});
