import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { load } from 'js-yaml';

const SCRIPT = readFileSync('packages/server/src/docs/page/to-page-contract.js', 'utf8');

/** Evaluates an expression about the `page` that the script makes of a contract. */
function evaluate(expression: string, openapi: string, item: string, schema = '{}'): unknown {
  const contract = load(`{ paths: { /a: ${item} }, components: { schemas: { A: ${schema} } } }`) as object;
  const servers = [['/a', 'PURGE', '../v2']];
  const context = { structuredClone, URL, contract: { openapi, ...contract }, servers };
  const script = `${SCRIPT}; const page = toPageContract(contract, 'http://h/v1', servers); JSON.stringify(${expression})`;
  return JSON.parse(String(runInNewContext(script, context)));
}

test.each([
  ['3.2.0', '{ get: {}, query: {}, additionalOperations: { PURGE: {} } }'],
  ['3.1.0', '{ get: {}, x-oai-query: {}, x-oai-additionalOperations: { PURGE: {} } }'],
  ['3.0.3', '{ get: {}, x-oai-additionalOperations: { QUERY: {}, PURGE: {} } }'],
])('the page shows the operations that a path of OpenAPI %s adds, each with its server', (openapi, item) => {
  expect(evaluate(`[page.openapi, page.paths['/a']]`, openapi, item)).toEqual([
    '3.2.0',
    expect.objectContaining({
      get: { security: [] },
      query: { security: [] },
      additionalOperations: { PURGE: { security: [], servers: [{ url: 'http://h/v2' }] } },
    }),
  ]);
});

test('where a path of OpenAPI 3.0 adds operations, the schemas are written as Swagger UI reads those of 3.2', () => {
  const item = '{ x-oai-additionalOperations: { PURGE: {} } }';
  const schema = `{ allOf: [{ type: string, nullable: true }, { minimum: 1, exclusiveMinimum: true }, { maximum: 1, exclusiveMaximum: false }] }`;
  expect(evaluate('page.components.schemas.A.allOf', '3.0.3', item, schema)).toEqual([
    { type: ['string', 'null'], nullable: true },
    { exclusiveMinimum: 1 },
    { maximum: 1 },
  ]);
});

test.each(['example', 'examples', 'default', 'enum', 'x-sample'])(
  'where a path of OpenAPI 3.0 adds operations, data in %s stays as it is written, and a property of that name has a schema',
  (name) => {
    const nullable = '{ type: string, nullable: true }';
    const reply = `{ content: { a/b: { schema: { ${name}: [${nullable}], properties: { ${name}: ${nullable} } } } } }`;
    const item = `{ x-oai-additionalOperations: { PURGE: { responses: { default: ${reply} } } } }`;
    const schema = "page.paths['/a'].additionalOperations.PURGE.responses.default.content['a/b'].schema";
    expect(evaluate(schema, '3.0.3', item)).toEqual({
      [name]: [{ type: 'string', nullable: true }],
      properties: { [name]: { type: ['string', 'null'], nullable: true } },
    });
  },
);
