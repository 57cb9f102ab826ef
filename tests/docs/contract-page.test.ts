import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const page = readFileSync('docs/contract.md', 'utf8');
// What a contract may say is the items of lists.
const items = ['Schemas', 'Bodies', 'Paths', 'Parameters'].flatMap(
  (title) =>
    sectionOf(title)
      .replaceAll(/\n {2}/g, ' ')
      .match(/^- .*$/gm) ?? [],
);
const tests = new Set(
  ['packages/server/tests', 'packages/tools/tests', 'tests/docs'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => basename(file)),
  ),
);

function sectionOf(title: string): string {
  const [, after = ''] = page.split(`\n## ${title}\n`);
  return after.split(/^## /m)[0] ?? '';
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, name]) => String(name));
}

test.each(items)('docs/contract.md names the tests of: %s', (item) => {
  expect(namesIn(item)).not.toEqual([]);
});

test('every test that docs/contract.md names exists', () => {
  expect(items.length).toBeGreaterThan(50);
  expect(namesIn(page).filter((name) => !tests.has(name))).toEqual([]);
});
