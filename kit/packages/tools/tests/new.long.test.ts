import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { INHERITED_NAMES } from '@contract-kit/contract';
import { createProject } from '../src/new/create-project';
import { ProjectError } from '../src/new/kit';
import { readOptions } from '../src/new/run-new';
import { CONTRACT_KIT, makeProject, runNode } from './make-project';
import { startDev } from './start-dev';
import { FROM_SOURCE } from '@contract-kit/test-support/run-as-others';
import { makeNamedContract } from '@contract-kit/test-support/make-named-contract';
import { useFolder } from '@contract-kit/test-support/use-folder';

// A project for another contract. `npm run check -- release` installs the packages of another one, and runs its checks.

const ALMOST_VALID = 'packages/test-support/fixtures/contracts/almost-valid.yaml';
const LENDING = 'packages/test-support/fixtures/lending.yaml';
const PLANTS = 'packages/test-support/plants/openapi.yaml';
const base = useFolder();

function create(...args: string[]): ReturnType<typeof runNode> {
  return runNode('.', ...FROM_SOURCE, 'scripts/new.ts', ...args);
}

test('a new project is small, and mentions only its own contract', () => {
  const folder = join(base, 'lending');
  const created = create('--contract', LENDING, folder);
  expect(created.output).toContain('Packing the kit...\nLocking the npm packages...\n');
  expect(created).toEqual({
    status: 0,
    output: expect.stringMatching(
      /It compiles and starts\.[^]* which accept nobody yet: deskKey\n[^]*\n(\d+) of \1 cases passed\. [^]*\nIts tests pass\.\n/,
    ) as string,
  });
  expect(readFileSync(join(folder, 'openapi.yaml'), 'utf8')).toBe(readFileSync(LENDING, 'utf8'));
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  expect(
    paths.filter((path) => !path.endsWith('.tgz') && /plant/i.test(readFileSync(join(folder, path), 'utf8'))),
  ).toEqual([]);
  const written = paths.filter((path) => !/^(deploy|generated|vendor)\/|^package-lock\.json$/.test(path));
  expect(written.filter((path) => !/^src\/handlers\/(?!index)/.test(path)).length).toBeLessThanOrEqual(26);
  expect(written.filter((path) => /^src\/handlers\/(?!index)/.test(path))).toHaveLength(4);
  // Each version of the kit has bytes of its own, and npm looks for none of it elsewhere.
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { version?: string; resolved?: string }>>;
  };
  const kit = Object.entries(packages).filter(([path]) => path.includes('@contract-kit/'));
  expect(kit.length).toBeGreaterThanOrEqual(3);
  for (const [, { version, resolved }] of kit) {
    expect(version).toMatch(/^\d+\.\d+\.\d+-kit[0-9a-f]{12}$/);
    expect(resolved).toMatch(/^file:vendor\/contract-kit-/);
  }
});

test('a project for a contract with each name that objects inherit compiles and starts', () => {
  const contract = join(base, 'inherited.yaml');
  writeFileSync(contract, makeNamedContract(...INHERITED_NAMES.filter((name) => name !== '__proto__')));
  expect(create('--contract', contract, join(base, 'inherited'))).toEqual({
    status: 0,
    output: expect.stringContaining('It compiles and starts.') as string,
  });
});

test('a project whose tests would fail is created, and the output says which and why', () => {
  const contract = join(base, 'impossible.yaml');
  const error = `{ description: Wrong., content: { application/json: { schema: { not: {} } } } }`;
  writeFileSync(
    contract,
    `openapi: 3.1.0
info: { title: Impossible, version: 1.0.0 }
security: []
paths:
  /a/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '204': { description: Done. }, '400': ${error} }
`,
  );
  const { status, output } = create('--contract', contract, join(base, 'impossible'));
  expect(output).toMatch(/The contract does not allow these sample errors; .*\n {2}\S+ 400 as application\/json: /);
  expect(output).toMatch(
    /\n\d+ of \d+ cases passed\. [^]*\nnpm test will fail, .*:\n {2}GET \/a\/\{id\}\n {4}error: .*\n {4}cases .*\n {4}rule {6}schema, /,
  );
  expect(output).not.toContain('tests pass');
  expect(status).toBe(0);
});

test.each([
  ['no contract', ['one'], 'name the contract with --contract FILE'],
  ['no folder', ['--contract', PLANTS], 'specify the folder of the project'],
  ['two folders', ['--contract', PLANTS, 'one', 'two'], 'name one folder, not 2 (one two)'],
  [
    'a name that npm does not take',
    ['--contract', PLANTS, '--name', 'A b', 'one'],
    '--name A b is not a valid package name',
  ],
  ['an unknown option', ['--contrct', PLANTS, 'one'], "Unknown option '--contrct'"],
])('%s is refused', (_title, args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});

test('a project has a store and ES modules only with --store and --esm', () => {
  const options = { folder: 'one', contract: 'a', name: undefined };
  expect(readOptions(['--contract', 'a', 'one'])).toEqual({ ...options, isModule: false, hasStore: false });
  const args = ['--contract', 'a', '--esm', '--store', 'one'];
  expect(readOptions(args)).toEqual({ ...options, isModule: true, hasStore: true });
});

test.each([
  ['npm run new', 'scripts/new.ts'],
  ['contract-kit', 'packages/tools/src/cli.ts'],
  ['conformance', 'packages/conformance/src/cli.ts'],
])('%s on an old Node says so in one line', (_, file) => {
  const old = join(base, 'old.js');
  writeFileSync(old, `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`);
  const output = expect.stringMatching(
    /^This program needs Node 24 or newer, but this is Node 20\.20\.2\. .*\n$/,
  ) as string;
  expect(runNode('.', '--require', old, ...FROM_SOURCE, file)).toEqual({ status: 1, output });
});

test('.github/workflows/ci.yml of a new project has the versions of this repository', () => {
  const file = '.github/workflows/ci.yml';
  const [here, made] = [file, join('packages/tools/templates', file)].map((one) =>
    readFileSync(one, 'utf8').match(/(?<=uses: ).*/g),
  );
  expect(made).not.toBeNull();
  expect(here).toEqual(expect.arrayContaining(made ?? []));
});

test.each([
  ['a missing contract', 'none.yaml', 'none', /none\.yaml/],
  ['a folder below a file', LENDING, 'file/folder', /^error: ENOTDIR: [^\n]*\n$/],
])('%s is an error without a stack, and nothing is created', (_, contract, folder, message) => {
  writeFileSync(join(base, 'file'), '');
  const { status, output } = create('--contract', contract, join(base, folder));
  expect([status, output]).toEqual([1, expect.stringMatching(message)]);
  expect(output).not.toMatch(/^ +at /m);
  expect(existsSync(join(base, folder))).toBe(false);
});

test.each([
  ['a folder inside the repository', LENDING, 'tests/new', 'tests/new is inside this repository'],
  ['a folder that is not empty', LENDING, join(base, 'full'), `${join(base, 'full')} is not empty`],
  ['a contract error', join(base, 'servers.yaml'), join(base, 'none'), /servers\.yaml:\d+:\d+/],
])('%s is reported, and nothing is created', async (_, contract, folder, message) => {
  const text = readFileSync(LENDING, 'utf8').replace(/^servers: .*/m, 'servers: [{ url: 7 }]');
  writeFileSync(join(base, 'servers.yaml'), text);
  mkdirSync(join(base, 'full'), { recursive: true });
  writeFileSync(join(base, 'full/work'), 'of weeks');
  const making = createProject({ contract, folder, name: undefined });
  await expect(making).rejects.toThrow(ProjectError);
  await expect(making).rejects.toThrow(message);
  expect([existsSync('tests/new'), existsSync(join(base, 'none'))]).toEqual([false, false]);
  expect(readdirSync(join(base, 'full'))).toEqual(['work']);
});

test('operations with mistakes are left out, and the scripts of the project have --keep-going', async () => {
  const folder = join(base, 'almost');
  const made = await createProject({ contract: ALMOST_VALID, folder, name: undefined });
  expect(made.contract.operations.map(({ id }) => id)).toEqual(['getA', 'putB']);
  expect(made.contract.advice).toContain('Because of these errors, the service does not serve GET /b, POST /a');
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  expect(scripts).toMatchObject({
    dev: 'exec contract-kit dev --keep-going --project src/tsconfig.json',
    generate: 'node --require ts-node/register/transpile-only scripts/generate.ts --keep-going',
    'contract:check': expect.stringMatching(/^contract-kit check .*--keep-going/) as string,
  });
  const checking = runNode(folder, ...CONTRACT_KIT, 'check', '--keep-going');
  // The advice has the places of the file that the team edits.
  expect(checking).toEqual({
    status: 0,
    output: expect.stringMatching(/^openapi\.yaml:10:.*does not serve/ms) as string,
  });
  expect(checking.output).not.toContain('generated/');
  expect(runNode(folder, ...CONTRACT_KIT, 'check')).toMatchObject({ status: 1 });
});

test('dev leaves out operations with mistakes with --keep-going', async () => {
  await using dev = await startDev({ contract: ALMOST_VALID, args: ['--keep-going'] });
  const url = await dev.url();
  expect((await fetch(`${url}/b`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${url}/b`, { method: 'PUT' })).headers.get('X-Contract-Kit-Sample')).toBe('true');
});

test('a project of ES modules compiles, starts, and gets handlers of ES modules', async () => {
  using project = await makeProject(LENDING, { isModule: true, hasStore: true });
  const { folder } = project;
  const contract = join(folder, 'openapi.yaml');
  const reply = `{ get: { operationId: ping, security: [], responses: { '204': { description: Pong. } } } }`;
  writeFileSync(contract, readFileSync(contract, 'utf8').replace('paths:\n', `paths:\n  /ping: ${reply}\n`));
  const generated = runNode(folder, ...CONTRACT_KIT, 'generate');
  expect(generated).toEqual({
    status: 0,
    output: expect.stringContaining('added ping to src/handlers/index.ts\n') as string,
  });
  const table = readFileSync(join(folder, 'src/handlers/index.ts'), 'utf8');
  expect(table).toContain(`import { ping } from './ping.js';\n`);
  expect(runNode(folder, ...CONTRACT_KIT, 'generate', '--check').status).toBe(0);
  const tsc = resolve('node_modules/typescript/bin/tsc');
  expect(runNode(folder, tsc, '-p', 'src', '--module', 'nodenext')).toEqual({ status: 0, output: '' });
  expect(readFileSync(join(folder, 'dist/main.js'), 'utf8')).toContain(`from '../generated/contract.js'`);
  const started = runNode(folder, 'dist/main.js', '--check');
  expect(started).toEqual({ status: 0, output: expect.stringContaining('the service would start') as string });
  expect(readFileSync(join(folder, 'deploy/Dockerfile'), 'utf8')).toContain('VOLUME /data');
  const prettier = resolve('node_modules/prettier/bin/prettier.cjs');
  expect(runNode(folder, prettier, '--check', 'src', 'tests')).toMatchObject({ status: 0 });
  const oxlint = resolve('node_modules/oxlint/bin/oxlint');
  expect(runNode(folder, oxlint, '--format', 'unix')).toEqual({ status: 0, output: '' });
});
