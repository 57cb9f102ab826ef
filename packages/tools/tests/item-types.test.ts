import { EVENT, LINES, READING } from '../../server/tests/serve-operation';
import { contractWith } from '../../server/tests/serve-operation';
import { findBreakingChanges } from '../src/check/breaking-changes';
import { generate } from '../src/generate/generate';
import { loadText } from '../../../tests/support/load-text';

const content = (type: string, schema: string): string => `content: { ${type}: { itemSchema: ${schema} } }`;

function contractOf(request: string, reply: string, schemas = {}, others = ''): string {
  const [members, responses] = [
    `requestBody: { required: true, ${content(LINES, request)} }`,
    `${others}'200': { description: Items., ${content('text/event-stream', reply)} }`,
  ];
  return contractWith({ version: '3.2.0', members, responses, schemas });
}

test('a handler gets and sends an AsyncIterable, and the JSON in an event is its value', async () => {
  const { 'api.d.ts': types = '' } = await generate(contractOf(READING, EVENT), 'openapi.yaml');
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
  ['the JSON in the events of a stream', contractOf(READING, EVENT_REF, { Event: EVENT }), /bed: bigint/],
  [
    'the JSON in an alternative of them',
    contractOf(READING, `{ oneOf: [${EVENT_REF}] }`, { Event: JSON_EVENT }),
    /bed: bigint/,
  ],
  [
    'the JSON in a part of them',
    contractOf(READING, `{ allOf: [${EVENT_REF}] }`, { Event: JSON_EVENT }),
    /bed: bigint/,
  ],
  [
    'their text',
    contractOf(READING, EVENT_REF, { Event: '{ properties: { data: { type: string } } }' }),
    /data\?: string/,
  ],
  [
    'what is written if a body has it, too',
    contractOf(READING, EVENT_REF, { Event: JSON_EVENT }, BODY),
    /data\?: unknown/,
  ],
])('the named type of the schema of events has %s', async (_, source, type) => {
  const { 'schemas.d.ts': types = '' } = await generate(source, 'openapi.yaml');
  expect(/type Event = [^]*?\n(?=[a-z/])/.exec(types)?.[0]).toMatch(type);
});

test('a change of the schema of items breaks clients', () => {
  const [before, after] = [READING, READING.replace('maximum: 100', 'maximum: 10')].map((schema) => {
    return loadText(contractOf(schema, EVENT));
  });
  const changes = findBreakingChanges(before as never, after as never);
  expect(changes.map(({ cause }) => cause)).toEqual([expect.stringContaining('value')]);
});
