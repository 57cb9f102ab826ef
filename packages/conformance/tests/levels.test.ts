import type { CaseResult } from '../src/oracle/checks';
import { LEVELS } from '../src';
import { levelOf } from '../src/generators/case';
import { includes } from '../src/contract/standards';
import { describeCause, groupByCause } from '../src/report/causes';

test('a level has what is below it', () => {
  expect(LEVELS.map((level) => LEVELS.filter((of) => includes(level, of)))).toEqual([
    ['contract'],
    ['contract', 'robust'],
    ['contract', 'robust', 'strict'],
  ]);
});

test('what is no HTTP is sent from robust on, unless a case says otherwise', () => {
  expect(levelOf({ class: 'malformed' })).toBe('robust');
  expect(levelOf({ class: 'negative' })).toBe('contract');
  expect(levelOf({ class: 'negative', level: 'strict' })).toBe('strict');
});

function found(label: string, ...texts: readonly string[]): CaseResult {
  const one = { operation: 'a', class: 'negative', pointer: '#/b', label } as CaseResult['case'];
  return { case: one, replies: [], findings: texts.map((text) => ({ check: 'schema', text, pointer: '#/reply' })) };
}

test('findings are grouped by cause, the most frequent first; many texts of one check are one cause', () => {
  const other: CaseResult = { ...found('9'), findings: [{ check: 'server-error', text: 'the status is 500' }] };
  const few = groupByCause([found('1', 'x'), found('2', 'y'), found('3', 'y'), other]);
  expect(few.map(describeCause)).toEqual([
    '    1 x [server-error; RFC 9110 15.6] the status is 500 at a negative #/b 9',
    '    2 x [schema; OpenAPI Media Type Object (schema)] y at a negative #/b 2, by #/reply',
    '    1 x [schema; OpenAPI Media Type Object (schema)] x at a negative #/b 1, by #/reply',
  ]);
  const many = groupByCause(['1', '2', '3', '4', '5'].map((text) => found(text, text)));
  expect(many.map(({ text, results }) => [text, results.length])).toEqual([
    ['not so: the body is what its schema says; 5 different findings', 5],
  ]);
});
