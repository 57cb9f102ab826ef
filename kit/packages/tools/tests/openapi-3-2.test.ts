import { loadText } from '@contract-kit/test-support/load-text';
import { findBreakingChanges } from '../src/check/breaking-changes';
import { generate } from '../src/generate/generate';
import { createStub } from '../src/generate/stubs';
import { contractWith, EVENT, LINES, READING } from '@contract-kit/test-support/serve-operation';

const INT64 = '{ type: integer, format: int64 }';

function queryContract(schema: string, query = 'required: true, '): string {
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
  const { 'api.d.ts': types = '' } = await generate(queryContract(SCHEMA, required), 'openapi.yaml');
  const [findBeds = '', searchBeds] = types.split('searchBeds: {');
  expect(findBeds.replaceAll(/\s+/g, ' ')).toContain(`${type} a: string; /** Format: int64 */ bed?: bigint; `);
  expect(findBeds).not.toContain('x-querystring');
  expect(searchBeds).toContain('query?: never');
});

test('a stub names the whole query', async () => {
  const [operation] = loadText(queryContract(SCHEMA)).operations;
  await expect(createStub(operation as never, 'src/handlers/find-beds.ts')).resolves.toContain('{ querystring, log }');
});

test('a breaking change in the query is told', () => {
  const read = (schema: string) => loadText(queryContract(schema));
  const changes = findBreakingChanges(read(SCHEMA), read(SCHEMA.replace('type: string', 'type: integer')));
  expect(changes.map(({ message }) => message)).toEqual([
    'QUERY /beds: query (application/x-www-form-urlencoded)/a: type string -> integer',
  ]);
});

const content = (type: string, schema: string): string => `content: { ${type}: { itemSchema: ${schema} } }`;

function itemContract(request: string, reply: string, schemas = {}, others = ''): string {
  const [members, responses] = [
    `requestBody: { required: true, ${content(LINES, request)} }`,
    `${others}'200': { description: Items., ${content('text/event-stream', reply)} }`,
  ];
  return contractWith({ version: '3.2.0', members, responses, schemas });
}

test('a handler gets and sends an AsyncIterable, and the JSON in an event is its value', async () => {
  const { 'api.d.ts': types = '' } = await generate(itemContract(READING, EVENT), 'openapi.yaml');
  const text = types.replaceAll(/\s+/g, ' ');
  expect(text).toContain('"application/jsonl": AsyncIterable<{ /** Format: int64 */ bed: bigint; value: number; }>');
  expect(text).toMatch(
    /"text\/event-stream": AsyncIterable<.*event\?: "reading"; data\?: \{ .*bed: bigint; value: number; \}/,
  );
});

const EVENT_REF = "{ $ref: '#/components/schemas/Event' }";
const JSON_EVENT = `{ properties: { data: { contentMediaType: application/json, contentSchema: ${READING} } } }`;
const BODY = `'201': { description: Made., content: { application/json: { schema: ${EVENT_REF} } } }, `;

test.each([
  ['the JSON in the events of a stream', itemContract(READING, EVENT_REF, { Event: EVENT }), /bed: bigint/],
  [
    'the JSON in an alternative of them',
    itemContract(READING, `{ oneOf: [${EVENT_REF}] }`, { Event: JSON_EVENT }),
    /bed: bigint/,
  ],
  [
    'the JSON in a part of them',
    itemContract(READING, `{ allOf: [${EVENT_REF}] }`, { Event: JSON_EVENT }),
    /bed: bigint/,
  ],
  [
    'their text',
    itemContract(READING, EVENT_REF, { Event: '{ properties: { data: { type: string } } }' }),
    /data\?: string/,
  ],
  [
    'what is written if a body has it, too',
    itemContract(READING, EVENT_REF, { Event: JSON_EVENT }, BODY),
    /data\?: unknown/,
  ],
])('the named type of the schema of events has %s', async (_, source, type) => {
  const { 'schemas.d.ts': types = '' } = await generate(source, 'openapi.yaml');
  expect(/type Event = [^]*?\n(?=[a-z/])/.exec(types)?.[0]).toMatch(type);
});

test('a change of the schema of items breaks clients', () => {
  const [before, after] = [READING, READING.replace('maximum: 100', 'maximum: 10')].map((schema) => {
    return loadText(itemContract(schema, EVENT));
  });
  const changes = findBreakingChanges(before as never, after as never);
  expect(changes.map(({ cause }) => cause)).toEqual([expect.stringContaining('value')]);
});
