import type { Document } from '@contract-kit/server/contract';
import { findPatternAdvice } from '../src/check/patterns';

function findIn(schema: object): { key: unknown; message: string }[] {
  return findPatternAdvice({ components: { schemas: { A: schema } } } as unknown as Document).map(
    ({ key, message }) => ({ key, message }),
  );
}

test.each([
  '^[^\\u0000]*$',
  '^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$',
  '^\\p{L}+$',
  '[\\u4e00-\\u9fff]',
  '^[\\w\\-]+$',
  '^(?<a>x)\\k<a>$',
  '',
])('the pattern %s compiles with the flag u, and gets no advice', (pattern) => {
  expect(findIn({ pattern, patternProperties: { [pattern]: {} } })).toEqual([]);
});

test.each<[string, string]>([
  ['^a\\-b$', 'Invalid escape; write "^a-b$"'],
  ['^[a\\_b]\\@$', 'Invalid escape; write "^[a_b]@$"'],
  ['^\\Z', 'Invalid escape'],
])('the pattern %s does not compile with the flag u, which is said with what to write', (pattern, end) => {
  const message = `does not compile with the flag u, as JSON Schema has it: ${end}`;
  expect(findIn({ pattern })).toEqual([{ key: 'pattern', message }]);
});

test('patterns are found in patternProperties and below other schemas, and not in values', () => {
  const schema = {
    properties: { pattern: { type: 'string', pattern: '\\a', example: { pattern: '\\b_' } } },
    patternProperties: { '\\_': { items: { pattern: '\\c' } } },
    default: { pattern: '\\d_' },
    'x-more': { pattern: '\\e' },
  };
  expect(findIn(schema).map(({ key }) => key)).toEqual(['\\_', 'pattern', 'pattern']);
});
