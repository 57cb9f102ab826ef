import { readFileSync } from 'node:fs';
import { CHECKS } from '@contract-kit/conformance';
import { LEFT_OPEN } from '../../packages/conformance/src/contract/standards';

const PAGE = readFileSync('docs/conformance.md', 'utf8');

/** The first cells of the table between two comments. */
function namesOf(title: string): string[] {
  const [, table = ''] = PAGE.split(new RegExp(`<!-- (?:end of )?${title} -->`));
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) => row.split('|')[1]?.trim() ?? '');
}

test('each check stands beside those of another suite', () => {
  expect(namesOf('ours')).toEqual(Object.keys(CHECKS));
});

test('each clause that leaves a request open is listed', () => {
  expect(new Set(namesOf('left open'))).toEqual(new Set(Object.keys(LEFT_OPEN)));
});
