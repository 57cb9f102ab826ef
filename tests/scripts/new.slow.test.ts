import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createProject } from '../../scripts/new/create-project';
import { NewError, readOptions } from '../../scripts/new/options';
import { runNode } from './run-node';

// A project for another contract, with the packages of this one. `npm run new:check` installs them there and runs all.

const base = mkdtempSync(join(tmpdir(), 'new-'));
afterAll(() => {
  rmSync(base, { recursive: true });
});

function create(...args: string[]): ReturnType<typeof runNode> {
  return runNode('.', '--conditions=source', '--require', 'ts-node/register/transpile-only', 'scripts/new.ts', ...args);
}

test('a project for another contract speaks of nothing but that, fits its types and keeps its contract', () => {
  const folder = join(base, 'lending');
  expect(create('--contract', 'tests/fixtures/lending.yaml', folder)).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, 'openapi.yaml'), 'utf8')).toBe(readFileSync('tests/fixtures/lending.yaml', 'utf8'));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  const others = paths.filter((path) => /plant/i.test(readFileSync(path, 'utf8')));
  expect(others).toEqual([join(folder, 'LICENSE')]);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  expect(runNode(folder, resolve('node_modules/typescript/bin/tsc'))).toEqual({ status: 0, output: '' });
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { unit: string } };
  const { status, output } = runNode(folder, ...scripts.unit.split(' ').slice(1), 'conformance/conformance.test');
  expect([status, output]).toEqual([0, expect.stringContaining('4 of 4 operations are not built yet') as string]);
});

test.each([
  ['no contract', ['one'], '--contract must name the file with the contract'],
  ['no folder', ['--contract', 'openapi.yaml'], 'the folder of the new project is missing'],
  ['two folders', ['--contract', 'openapi.yaml', 'one', 'two'], 'one folder, not 2: one two'],
  ['a name that npm does not take', ['--contract', 'openapi.yaml', '--name', 'A b', 'one'], '--name A b is no name'],
  ['an option that is none', ['--contrct', 'openapi.yaml', 'one'], "Unknown option '--contrct'"],
])('%s is refused', (_title, args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});

/** As `npm run new`, in this process. */
async function make(contract: string, folder: string): Promise<void> {
  await createProject({ contract, folder, name: undefined });
}

test('a contract that is not there is refused, in words', () => {
  const result = create('--contract', 'none.yaml', join(base, 'none'));
  expect(result).toEqual({ status: 1, output: expect.stringContaining('none.yaml') as string });
  expect(result.output).not.toMatch(/^ +at /m);
  expect(existsSync(join(base, 'none'))).toBe(false);
});

test('a folder of this project is refused, and nothing is made', async () => {
  const making = make('openapi.yaml', 'tests/new');
  await expect(making).rejects.toThrow(NewError);
  await expect(making).rejects.toThrow('tests/new is within this project');
  expect(existsSync('tests/new')).toBe(false);
});

test('a folder with something in it stays as it is', async () => {
  const folder = join(base, 'full');
  mkdirSync(folder);
  writeFileSync(join(folder, 'work'), 'of weeks');
  const making = make('tests/fixtures/lending.yaml', folder);
  await expect(making).rejects.toThrow(NewError);
  await expect(making).rejects.toThrow(`${folder} is not empty`);
  expect(readdirSync(folder)).toEqual(['work']);
});

test('what the kit cannot enforce is named with its place, and nothing is made', async () => {
  const contract = join(base, 'ranges.yaml');
  const text = readFileSync('tests/fixtures/lending.yaml', 'utf8').replaceAll('application/json', 'application/*');
  writeFileSync(contract, text);
  const making = make(contract, join(base, 'none'));
  await expect(making).rejects.toThrow(NewError);
  await expect(making).rejects.toThrow(/ranges\.yaml:\d+:\d+/);
  expect(existsSync(join(base, 'none'))).toBe(false);
});

test('a row of the catalogue that the kit needs is written out, with where it belongs', async () => {
  const contract = join(base, 'rows.yaml');
  const text = readFileSync('tests/fixtures/lending.yaml', 'utf8').replace(/^.* INVALID_UTF8: .*\n/m, '');
  writeFileSync(contract, text);
  await expect(make(contract, join(base, 'none'))).rejects.toThrow(
    /rows\.yaml:\d+:\d+ a row is missing that the kit answers with: write INVALID_UTF8: \{ number: 400\d\d, status: 400, meaning: ".+" \}$/,
  );
});
