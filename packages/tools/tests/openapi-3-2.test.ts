import { loadText } from '../../../tests/support/load-text';
import { findBreakingChanges } from '../src/check/breaking-changes';
import { generate } from '../src/generate/generate';
import { createStub } from '../src/generate/stubs';

const INT64 = '{ type: integer, format: int64 }';

function contractOf(schema: string, query = 'required: true, '): string {
  return `openapi: 3.2.0
info: { title: Beds, version: 1.0.0 }
security: []
paths:
  /beds:
    query:
      operationId: findBeds
      parameters:
        - { name: q, in: querystring, ${query}content: { application/x-www-form-urlencoded: { schema: ${schema} } } }
      responses: { '204': { description: Done. } }
    additionalOperations:
      M-SEARCH: { operationId: searchBeds, responses: { '204': { description: Done. } } }
`;
}

const SCHEMA = `{ type: object, required: [a], properties: { a: { type: string }, bed: ${INT64}, b: { default: x } } }`;

test.each([
  ['required: true, ', 'querystring: {'],
  ['', 'querystring?: {'],
])('with %s, a handler gets the whole query as %s', async (required, type) => {
  const { 'api.d.ts': types = '' } = await generate(contractOf(SCHEMA, required), 'openapi.yaml');
  const [findBeds = '', searchBeds] = types.split('searchBeds: {');
  expect(findBeds.replaceAll(/\s+/g, ' ')).toContain(`${type} a: string; /** Format: int64 */ bed?: bigint; `);
  expect(findBeds).not.toContain('x-querystring');
  expect(searchBeds).toContain('query?: never');
});

test('a stub names the whole query', async () => {
  const [operation] = loadText(contractOf(SCHEMA)).operations;
  await expect(createStub(operation as never, 'src/handlers/find-beds.ts')).resolves.toContain('{ querystring, log }');
});

test('a breaking change in the query is told', () => {
  const read = (schema: string) => loadText(contractOf(schema));
  const changes = findBreakingChanges(read(SCHEMA), read(SCHEMA.replace('type: string', 'type: integer')));
  expect(changes.map(({ message }) => message)).toEqual([
    'QUERY /beds: query (application/x-www-form-urlencoded)/a: type string -> integer',
  ]);
});
