import { EVENT, LINES, READING } from '../../server/tests/item-parts';
import { contractWith } from '../../server/tests/serve-operation';
import { findBreakingChanges } from '../src/check/breaking-changes';
import { generate } from '../src/generate/generate';
import { loadText } from '../../../tests/support/load-text';

const content = (type: string, schema: string): string => `content: { ${type}: { itemSchema: ${schema} } }`;

function contractOf(request: string, reply: string): string {
  const [members, responses] = [
    `requestBody: { required: true, ${content(LINES, request)} }`,
    `'200': { description: Items., ${content('text/event-stream', reply)} }`,
  ];
  return contractWith({ version: '3.2.0', members, responses });
}

test('a handler gets and sends an AsyncIterable, and the JSON in an event is its value', async () => {
  const { 'api.d.ts': types = '' } = await generate(contractOf(READING, EVENT), 'openapi.yaml');
  const text = types.replaceAll(/\s+/g, ' ');
  expect(text).toContain('"application/jsonl": AsyncIterable<{ /** Format: int64 */ bed: bigint; value: number; }>');
  expect(text).toMatch(
    /"text\/event-stream": AsyncIterable<.*event\?: "reading"; data\?: \{ .*bed: bigint; value: number; \}/,
  );
});

test('a change of the schema of items breaks clients', () => {
  const [before, after] = [READING, READING.replace('maximum: 100', 'maximum: 10')].map((schema) => {
    return { ...loadText(contractOf(schema, EVENT)), catalogue: {} };
  });
  const changes = findBreakingChanges(before as never, after as never);
  expect(changes.map(({ cause }) => cause)).toEqual([expect.stringContaining('value')]);
});
