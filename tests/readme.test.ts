import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SETTINGS } from './deploy/settings';

const README = readFileSync('README.md', 'utf8');
const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
};

/** Everything that stands in backquotes. */
const CODE = [...README.matchAll(/`([^`\n]+)`/g)].map(([, code]) => String(code));

test('it is short before the tables', () => {
  expect(README.split('\n## Settings')[0]?.split('\n').length).toBeLessThanOrEqual(90);
});

test('every npm command exists', () => {
  const commands = [...README.matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => String(name));
  expect(commands.length).toBeGreaterThan(3);
  expect(Object.keys(PACKAGE.scripts)).toEqual(expect.arrayContaining(commands));
});

test('every file that it names exists', () => {
  const files = CODE.filter((code) => /^(src|tests|scripts|packages)\//.test(code));
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  const tree = [...README.matchAll(/^ {4}([a-z./]+(?:\/|\.ts|\.yaml)) {2,}/gm)].map(([, entry]) => String(entry));
  expect(tree).toHaveLength(15);
  expect(tree.filter((entry) => !existsSync(entry))).toEqual([]);
});

test('every test of the kit is named', () => {
  const tests = readdirSync('packages/server/tests/contract').map((name) => `packages/server/tests/contract/${name}`);
  expect(tests.filter((name) => !CODE.includes(name))).toEqual([]);
});

test('every setting is there, and no other', () => {
  const settings = [...new Set(SETTINGS)].sort();
  const rows =
    README.split('\n## Settings')[1]
      ?.split('\n## ')[0]
      ?.match(/^\| `.*?\|/gm)
      ?.join() ?? '';
  expect([...rows.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => String(name)).sort()).toEqual(settings);
});

test('the runtime dependencies are those that it names', () => {
  const names = Object.keys(PACKAGE.dependencies);
  expect(README.replaceAll('\n', ' ')).toContain(
    `It has ${String(names.length)} runtime dependencies: ${names.slice(0, -1).join(', ')} and ${String(names.at(-1))}.`,
  );
});

test('the settings of the package are told in the same words', () => {
  const rowsOf = (text: string): string[] =>
    (
      text
        .split('\n## Settings')[1]
        ?.split('\n## ')[0]
        ?.match(/^\|.*\|$/gm) ?? []
    )
      .map((row) => row.replaceAll(/ +/g, ' '))
      .filter((row) => !/^\| ?-|DATABASE_URL/.test(row));
  expect(rowsOf(readFileSync('packages/server/README.md', 'utf8'))).toEqual(rowsOf(README));
});

test.each(['own-middleware', 'existing-app'])('the code of express.md is the one that is tested: %s', (name) => {
  const code = readFileSync(`packages/server/tests/${name}.ts`, 'utf8');
  expect(readFileSync('packages/server/express.md', 'utf8')).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
});
