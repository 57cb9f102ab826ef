import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const page = readFileSync('docs/contract.md', 'utf8');
const lines = page.split('\n');
// Each table has a head, a line below it, and rows.
const rows = lines.filter((line, index) => /^\| [^-]/.test(line) && !lines[index + 1]?.startsWith('| -'));
const tests = new Set(
  ['packages/server/tests/contract', 'packages/tools/tests', 'tests/docs'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => basename(file)),
  ),
);

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, name]) => String(name));
}

test.each(rows)('a row of docs/contract.md names its tests: %s', (row) => {
  expect(namesIn(row.split('|').at(-2) ?? '')).not.toEqual([]);
});

test('every test that docs/contract.md names exists', () => {
  expect(namesIn(page).filter((name) => !tests.has(name))).toEqual([]);
});
