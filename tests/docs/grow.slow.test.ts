import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { linkPackages } from '../../packages/tools/tests/make-project';
import { useFolder } from '../support/use-folder';
import { readBlocks } from '../support/read-blocks';

// docs/grow.md is a promise: this walks it, block by block, in a copy of the repository. It also shows that the plants'
// contract may grow without a change to any test.

const PARTS = [
  ...['contracts', 'eslint.config.mjs', 'generated', 'openapi.yaml', 'package.json', 'packages'],
  ...['.prettierignore', '.prettierrc.json', 'docs', '.config', 'scripts', 'src', 'tests', 'tsconfig.json'],
];
interface Block {
  /** The file that stands above it. */
  readonly file: string | undefined;
  readonly language: string;
  readonly text: string;
}

const page = readFileSync('docs/grow.md', 'utf8');
const blocks: Block[] = [...page.matchAll(/(?:^\*\*`([^`\n]+)`\*\*\n\n)?^```(\w+)\n(.*?)^```$/gms)].map(
  ([, file, language = '', text = '']) => ({ file, language, text }),
);
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
  const [contract = ''] = readBlocks('README.md', 'yaml');
  const [handler = ''] = readBlocks('README.md', 'ts');
  write('openapi.yaml', (text) => text.replace(/^(?=components:$)/m, () => contract.replace('paths:\n', '')));
  write('src/handlers/find-plants.ts', () => handler);
  write('src/handlers/index.ts', (text) =>
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

function write(file: string, change: (text: string) => string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, change(existsSync(path) ? readFileSync(path, 'utf8') : ''));
}

/** Applies the parts of a diff, each of which fits one place only. */
function applyDiff(text: string, diff: string): string {
  return diff.split(/^@@\n/m).reduce((changed, part) => {
    const lines = part.match(/^.*\n/gm) ?? [];
    const [before, after] = ['+', '-'].map((other) =>
      lines
        .filter((line) => !line.startsWith(other))
        .map((line) => line.slice(line === '\n' ? 0 : 1))
        .join(''),
    ) as [string, string];
    if (changed.split(before).length !== 2) throw new Error(`does not fit one place:\n${part}`);
    return changed.replace(before, () => after);
  }, text);
}

test('each block does what the page says, and what it leads to is clean', () => {
  const faults: string[] = [];
  let output = '';
  for (const [index, { file, language, text }] of blocks.entries()) {
    if (file !== undefined) write(file, (before) => (language === 'diff' ? applyDiff(before, text) : text));
    else if (language === 'sh') {
      // A command that fails is one whose output the page shows.
      output = run(text, blocks[index + 1]?.language === 'text', faults);
    } else {
      const shown = text.trimEnd().split('\n');
      const missing = shown.filter((line) => !output.includes(line.replace(/ \.\.\.$/, '')));
      if (missing.length > 0) faults.push(output, 'has no', ...missing);
    }
  }
  const code = files.filter((file) => file.endsWith('.ts'));
  run(`npx eslint --max-warnings 0 ${code.join(' ')} && npx prettier --check ${files.join(' ')}`, false, faults);
  expect(faults.join('\n')).toBe('');
});

/** Runs a command in the copy. @returns its output */
function run(command: string, mayFail: boolean, faults: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, { cwd: folder, shell: true, encoding: 'utf8' });
  const output = stdout + stderr;
  const mistakes = output.match(/ error TS\d+: /g)?.length ?? 0;
  process.stdout.write(`${command.trim()}: ${String(mistakes)} mistakes of types\n`);
  if (status !== 0 && !mayFail) faults.push(output);
  return output;
}
