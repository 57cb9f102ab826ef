import { cpSync, existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { linkPackages } from '../../packages/tools/tests/make-project';
import { useFolder } from '../support/use-folder';
import { readBlocks } from '../support/read-blocks';
import { changeFile, followBlocks, readPage, runCommand } from '../support/walk-page';

// docs/grow.md is a promise: this walks it, block by block, in a copy of the repository. It also shows that the plants'
// contract may grow without a change to any test.

const PARTS = [
  ...['.oxlintrc.json', 'contracts', 'generated', 'openapi.yaml', 'package.json', 'packages'],
  ...['.prettierignore', '.prettierrc.json', 'docs', '.config', 'scripts', 'src', 'tests', 'tsconfig.json'],
];
const page = readFileSync('docs/grow.md', 'utf8');
const blocks = readPage('docs/grow.md');
/** What is written by hand, and how many lines of it. */
const written = blocks.flatMap(({ file, language, text }) => {
  const lines = text.trimEnd().split('\n');
  const added = language === 'diff' ? lines.filter((line) => line.startsWith('+')) : lines;
  return file === undefined ? [] : [{ file, lines: added.length }];
});
const files = written.map(({ file }) => file);
const operations = [...page.matchAll(/: wrote (\S+\.ts), which/g)].map(([, name]) => `src/handlers/${String(name)}`);

const folder = useFolder();
beforeAll(() => {
  // The templates of new projects are compiled with the examples, which no page about growth is about.
  const filter = (name: string): boolean => !['node_modules', 'dist', 'templates'].includes(basename(name));
  for (const name of PARTS) cpSync(name, join(folder, name), { recursive: true, filter });
  linkPackages(folder);
  addOperation();
});

/** Adds the operation of README.md, where the page goes on. */
function addOperation(): void {
  const change = (file: string, edit: (text: string) => string): void => {
    changeFile(join(folder, file), edit);
  };
  const [contract = ''] = readBlocks('README.md', 'yaml');
  const [handler = ''] = readBlocks('README.md', 'ts');
  change('openapi.yaml', (text) => text.replace(/^(?=components:$)/m, () => contract.replace('paths:\n', '')));
  change('src/handlers/find-plants.ts', () => handler);
  change('src/handlers/index.ts', (text) =>
    text
      .replace(/^\n(?=\/\*\*)/m, "import { findPlants } from './find-plants';\n$&")
      .replace(/^(?= {2}\};$)/m, '    findPlants: findPlants(store),\n'),
  );
}

test('it takes few files and lines, and no test that is there changes', () => {
  const [contract, code] = [true, false].map((isContract) =>
    written.filter(({ file }) => (file === 'openapi.yaml') === isContract).reduce((sum, { lines }) => sum + lines, 0),
  ) as [number, number];
  const others = files.filter((file) => !operations.includes(file));
  process.stdout.write(
    `\ndocs/grow.md: ${String(operations.length)} operations, ${String(others.length)} other files, ` +
      `${String(code)} lines of code and ${String(contract)} of the contract\n`,
  );
  expect(files).toEqual([...new Set(files)]);
  expect(files).toEqual(expect.arrayContaining(operations));
  expect(others.length).toBeLessThanOrEqual(14);
  expect(code).toBeLessThanOrEqual(250);
  expect(files.filter((file) => /^(tests|packages)\/.*\.ts$/.test(file) && existsSync(file))).toEqual([]);
});

test('each block does what the page says, and what it leads to is clean', () => {
  const faults = followBlocks(blocks, folder);
  const code = files.filter((file) => file.endsWith('.ts'));
  const command = `npx oxlint ${code.join(' ')} && npx prettier --check ${files.join(' ')}`;
  const { status, output } = runCommand(command, folder);
  if (status !== 0) faults.push(output);
  expect(faults.join('\n')).toBe('');
});
