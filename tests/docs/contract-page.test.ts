import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const page = readFileSync('docs/contract.md', 'utf8');
const sections = page.split(/^## /m).slice(1);
const tests = new Set(
  ['packages/server/tests', 'packages/tools/tests', 'tests/docs'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => basename(file)),
  ),
);

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, name]) => String(name));
}

test.each(sections.map((section) => [section.split('\n')[0], section]))(
  '%s of docs/contract.md names its tests',
  (_, section) => {
    expect(namesIn(section)).not.toEqual([]);
  },
);

test('every test that docs/contract.md names exists', () => {
  expect(namesIn(page).filter((name) => !tests.has(name))).toEqual([]);
});
