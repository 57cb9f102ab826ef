import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createCompiler } from '../src/compile/compiler';
import { toLines } from '../src/diagnostics/diagnostic';
import { useFolder } from '@contract-kit/test-support/use-folder';

const folder = useFolder();
const compileProject = createCompiler(join(folder, 'tsconfig.json'), join(folder, 'dist/main.js'));
const from = relative('', folder);

function compile(): string[] {
  return toLines(compileProject());
}

function write(name: string, text: string): void {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function written(name: string): number {
  return statSync(join(folder, 'dist', name)).mtimeMs;
}

const OPTIONS = {
  target: 'es2023',
  lib: ['es2023'],
  module: 'node20',
  types: [],
  strict: true,
  isolatedModules: true,
  outDir: 'dist',
};

test('the compiler writes only changed files', () => {
  write('tsconfig.json', JSON.stringify({ compilerOptions: OPTIONS, include: ['src'] }));
  write('src/size.ts', 'export const SIZE: number = 1;\n');
  write('src/again.ts', `export { SIZE } from './size';\n`);
  write('src/main.ts', `import { SIZE } from './again';\nexport const twice = SIZE * 2;\n`);
  write('src/other.ts', 'export const OTHER = 1;\n');
  expect(compile()).toEqual([]);
  const [other, size] = [written('other.js'), written('size.js')];
  write('src/size.ts', 'export const SIZE: number = 2;\n');
  expect(compile()).toEqual([]);
  expect(readFileSync(join(folder, 'dist/size.js'), 'utf8')).toContain('SIZE = 2');
  expect(written('size.js')).toBeGreaterThan(size);
  expect(written('other.js')).toBe(other);
});

test('a type error far from the change is reported at its place, and nothing is written', () => {
  const before = written('size.js');
  write('src/size.ts', `export const SIZE: string = '2';\n`);
  const problem = `${from}/src/main.ts:2:22 The left-hand side of an arithmetic operation must be of type`;
  expect(compile()).toEqual([expect.stringContaining(problem)]);
  expect(compile()).toEqual([expect.stringContaining(problem)]);
  expect(written('size.js')).toBe(before);
  write('src/main.ts', `import { SIZE } from './again';\nexport const twice = SIZE + SIZE;\n`);
  expect(compile()).toEqual([]);
  expect(written('size.js')).toBeGreaterThan(before);
});

test('errors are sorted by place, and syntax errors hide type errors', () => {
  write('src/a.ts', `export const a: number = '';\nexport const b: number = '';\n`);
  write('src/size.ts', 'export const SIZE: number = true;\n');
  expect(compile().map((problem) => problem.split(' ')[0])).toEqual([
    `${from}/src/a.ts:1:14`,
    `${from}/src/size.ts:1:14`,
  ]);
  write('src/size.ts', 'export const SIZE = ;\n');
  expect(compile()).toEqual([`${from}/src/size.ts:1:21 Expression expected.`]);
  write('src/size.ts', 'export const SIZE = 3;\n');
  rmSync(join(folder, 'src/a.ts'));
  expect(compile()).toEqual([]);
});

test('files of the project may be added and removed', () => {
  write(
    'src/main.ts',
    `import { COLOUR } from './colour';\nimport { Found } from 'found';\nexport const a: Found = COLOUR;\n`,
  );
  expect(compile()).toHaveLength(2);
  write('src/colour.ts', `export const COLOUR = 'red';\n`);
  expect(compile()).toEqual([expect.stringContaining(`${from}/src/main.ts:2:23 Cannot find module 'found'`)]);
  // As if it were installed now, while no file of the project changes.
  write('node_modules/found/package.json', '{ "name": "found", "types": "index.d.ts" }');
  write('node_modules/found/index.d.ts', 'export type Found = string;\n');
  expect(compile()).toEqual([]);
  rmSync(join(folder, 'src/colour.ts'));
  expect(compile()).toEqual([expect.stringContaining(`Cannot find module './colour'`)]);
  write('src/main.ts', 'export {};\n');
  expect(compile()).toEqual([]);
});

test('files removed from the output are written again', () => {
  rmSync(join(folder, 'dist'), { recursive: true });
  expect(compile()).toEqual([]);
  expect(existsSync(join(folder, 'dist/size.js'))).toBe(true);
});

test('a project that cannot be read is an error', () => {
  write('tsconfig.json', '{ "compilerOptions": { "target": "es1" }, "include": ["src"] }');
  expect(compile()).toEqual([expect.stringMatching(/tsconfig\.json:1:34 Argument for '--target' option must be/)]);
  rmSync(join(folder, 'tsconfig.json'));
  expect(() => compile()).toThrow('tsconfig.json');
});
