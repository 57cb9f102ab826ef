import { existsSync, readFileSync } from 'node:fs';

const page = readFileSync('docs/contract.md', 'utf8');
// What is in short before the first of these headings is told again behind it.
const lines = page.slice(page.indexOf('\n## Schemas\n')).split('\n');
// Each table has a head, a line below it, and rows.
const rows = lines.filter((line, index) => /^\| [^-]/.test(line) && !lines[index + 1]?.startsWith('| -'));

test.each(rows)('a row of docs/contract.md names tests that there are: %s', (row) => {
  const cell = row.split('|').at(-2) ?? '';
  const files = [...cell.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => String(file));
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
