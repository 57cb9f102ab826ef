import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, globSync } from 'node:fs';
import { dirname, join, basename } from 'node:path';
import { CHECKS } from '../../scripts/checks';
import { SETTINGS } from '../deploy/settings';
import ts from 'typescript';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
};
// Tests in tests/docs/ walk the pages about a service and its growth, whose files are still to be written.
const PAGES = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', '.github/SECURITY.md'],
  ...['docs', 'packages', ...globSync('packages/*/package.json').map((file) => dirname(file))].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md') && !['CHANGELOG.md', 'grow.md', 'your-own-service.md'].includes(name))
      .map((name) => join(folder, name)),
  ),
];
const TEXTS = new Map(PAGES.map((page) => [page, readFileSync(page, 'utf8')]));

function read(page: string): string {
  return TEXTS.get(page) ?? '';
}

/** Everything of a page that stands in backquotes. */
function listCode(page: string): string[] {
  return [...read(page).matchAll(/`([^`\n]+)`/g)].map(([, code]) => String(code));
}

/** Whether a page shows the file: the first line of one of its blocks of code has the name. */
function isShown(page: string, file: string): boolean {
  return read(page).includes(`// ${file}\n`);
}

/** The rows of the table of settings, without the widths of columns. */
function listSettings(page: string): string[] {
  const [, after = ''] = read(page).split('\n## Settings');
  return (after.split('\n## ')[0]?.match(/^\| `.*\|$/gm) ?? []).map((row) => row.replaceAll(/ +/g, ' '));
}

test('the README has at most 110 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(110);
});

test.each(readdirSync('docs').filter((name) => name.endsWith('.md')))('docs/%s opens with a sentence', (name) => {
  expect(readFileSync(`docs/${name}`, 'utf8')).toMatch(/^# .*\n\n[A-Z]/);
});

test.each(PAGES)('every npm command of %s exists', (page) => {
  const commands = [...read(page).matchAll(/npm run ([a-z:-]+)/g)].map(([, name]) => String(name));
  expect(Object.keys(PACKAGE.scripts)).toEqual(expect.arrayContaining(commands));
  const checks = [...read(page).matchAll(/npm run check -- ([a-z:-]+)/g)].map(([, name]) => String(name));
  expect(Object.keys(CHECKS)).toEqual(expect.arrayContaining(checks));
});

test.each([...PAGES, 'docs/grow.md', 'docs/your-own-service.md'])(
  'every test that %s runs is there, or shown by it',
  (page) => {
    const text = readFileSync(page, 'utf8');
    const tests = [
      ...globSync('{tests,proofs/repository,packages/*/tests}/**/*.test.ts'),
      ...(text.match(/tests\/[\w/-]+\.test\.ts/g) ?? []),
    ];
    const patterns = [...text.matchAll(/npm run unit -- ([^`\n]+)/g)].flatMap(([, words = '']) => words.split(' '));
    const isFound = (pattern: string): boolean => tests.some((file) => new RegExp(pattern).test(file));
    expect(patterns.filter((pattern) => pattern !== 'FILE' && !isFound(pattern))).toEqual([]);
  },
);

test.each(globSync('{src,examples/*/src}/handlers/*.ts', { exclude: ['**/index.ts'] }))(
  '%s exports its operation by its name',
  (file) => {
    const operation = basename(file, '.ts').replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(readFileSync(file, 'utf8').match(/^export .*/gm)).toEqual([
      expect.stringMatching(`^export const ${operation}\\b`),
    ]);
  },
);

test('no file has what a merge left in it', () => {
  const { stdout } = spawnSync('git', ['grep', '-nE', '^(<{7}|>{7}|(> ){6}>)'], { encoding: 'utf8' });
  expect(stdout).toBe('');
});

test('every script of package.json is in one of the pages', () => {
  const all = [...TEXTS.values()].join('\n');
  const untold = Object.keys(PACKAGE.scripts).filter((name) => !new RegExp(`npm run ${name}(?![a-z:])`).test(all));
  // npm has commands of its own for these.
  expect(untold).toEqual(['start', 'test']);
});

test.each(PAGES)('every file that %s names exists', (page) => {
  // In src/ of a package's page are the files of a project.
  const isFile = page.startsWith('packages/')
    ? /^packages\/[^*<]+$/
    : /^(src|tests|proofs|scripts|packages|docs)\/[^*<]+$/;
  expect(listCode(page).filter((code) => isFile.test(code) && !existsSync(code) && !isShown(page, code))).toEqual([]);
});

test.each(PAGES)('every link of %s leads somewhere', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link]) => String(link));
  expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([]);
});

test('the tree is the one that there is', () => {
  const entries = [...read('ARCHITECTURE.md').matchAll(/^ {4}([a-z./]+(?:\/|\.ts|\.yaml)) {2,}/gm)];
  const tree = entries.map(([, entry]) => String(entry));
  expect(tree).toHaveLength(18);
  expect(tree.filter((entry) => !existsSync(entry))).toEqual([]);
});

test('the guarantees name every test of a contract, and no other', () => {
  const folders = ['packages/contract/tests', 'packages/server/tests/contract'];
  const named = listCode('docs/guarantees.md').filter(
    (code) => code.endsWith('.test.ts') && !/^(packages|tests|proofs|examples)\//.test(code),
  );
  expect(named.filter((name) => !folders.some((folder) => existsSync(join(folder, name))))).toEqual([]);
  const tests = folders.flatMap((folder) => readdirSync(folder)).filter((name) => name.endsWith('.test.ts'));
  expect(tests.filter((name) => !named.includes(name))).toEqual([]);
});

test('every setting is listed once, and no other', () => {
  const rows = ['packages/server/README.md', 'docs/operating.md'].flatMap((page) => listSettings(page));
  const names = rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z_]+/g) ?? []);
  expect(names.sort()).toEqual([...new Set(SETTINGS)].sort());
});

test('the runtime dependencies are those that it names', () => {
  const names = Object.keys(PACKAGE.dependencies);
  expect(read('README.md').replaceAll('\n', ' ')).toContain(
    `It has ${String(names.length)} runtime dependencies: ${names.slice(0, -1).join(', ')} and ${String(names.at(-1))}.`,
  );
});

test.each(['own-middleware', 'existing-app'])('the README of the server shows the tested code: %s', (name) => {
  const code = readFileSync(`packages/server/tests/${name}.ts`, 'utf8');
  expect(read('packages/server/README.md')).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
});

const contractPage = readFileSync('docs/contract.md', 'utf8');
const testFiles = new Set(
  [
    'packages/contract/tests',
    'packages/server/tests',
    'packages/tools/tests',
    'proofs/repository',
    'tests/docs',
  ].flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => basename(file))),
);

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, name]) => String(name));
}

test.each(
  contractPage
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split('\n')[0], section]),
)('%s of docs/contract.md names its tests', (_, section = '') => {
  expect(namesIn(section)).not.toEqual([]);
});

test('every test that docs/contract.md names exists', () => {
  expect(namesIn(contractPage).filter((name) => !testFiles.has(name))).toEqual([]);
});

/** Whether a file says what it is: in its first line, or right above the first thing that it exports. */
function isIntroduced(text: string): boolean {
  const start = ts.getShebang(text)?.length ?? 0;
  if (ts.getLeadingCommentRanges(text, start)) return true;
  const { statements } = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
  const first = statements.find((statement) => !ts.isImportDeclaration(statement));
  if (!first || !ts.canHaveModifiers(first)) return false;
  const isExported = ts.getModifiers(first)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  return isExported && ts.getLeadingCommentRanges(text, first.getFullStart()) !== undefined;
}

test('every source file of the packages says first what it is', () => {
  const files = globSync('packages/*/src/**/*.ts', { exclude: ['**/node_modules/**'] });
  expect(files.length).toBeGreaterThan(200);
  expect(files.filter((file) => !isIntroduced(readFileSync(file, 'utf8')))).toEqual([]);
});

test('a file that begins with a constant of its own does not', () => {
  expect(isIntroduced("import 'a';\n\n// Enough.\nconst LIMIT = 3;\n")).toBe(false);
  expect(isIntroduced("import 'a';\n\n/** The limit. */\nexport const LIMIT = 3;\n")).toBe(true);
  expect(isIntroduced("// Limits.\nimport 'a';\n")).toBe(true);
});
