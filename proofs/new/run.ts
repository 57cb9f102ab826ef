// Uses a new project as its owner would.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProject, packKit, updateProject } from '@contract-kit/tools/new';
import { linkPackages } from '../../packages/tools/tests/make-project';
import { findAjvs, runNpm } from '../../tests/support/run-as-others';

// What a new project promises, tried as its owner would: its packages are installed, its checks pass, and once a handler
// is written, the conformance suite holds its operation to all that the contract says. Then a newer kit comes.

const CONTRACT = 'tests/fixtures/lending.yaml';
const UNIT = ['run', 'unit'];

async function main(): Promise<void> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'new-')));
  const folder = join(base, 'project');
  try {
    await createProject({ contract: CONTRACT, folder, name: undefined });
    runNpm(folder, ['ci'], 0, 'added');
    expectAjv(folder);
    runNpm(folder, ['test'], 0, '4 of 4 operations have no handler yet');
    runNpm(folder, ['run', 'lint'], 0, 'All matched files use Prettier code style');
    runNpm(folder, ['run', 'build']);
    writeHandler(folder, `(_request, reply) => reply(200, [])`);
    runNpm(folder, UNIT, 0, '3 of 4 operations have no handler yet');
    writeHandler(folder, `() => Promise.reject(new Error('a bug'))`);
    runNpm(folder, UNIT, 1, 'the status is 500, but should be a success');
    writeHandler(folder, `(_request, reply) => reply(200, [])`);
    await update(folder, copyKit(join(base, 'newer')));
    installAgain(folder);
    runNpm(folder, ['test'], 0, '3 of 4 operations have no handler yet');
    // It brings a fork of Ajv by the name of Ajv.
    runNpm(folder, ['install', '--no-audit', '--no-fund', '@redocly/openapi-core']);
    expectAjv(folder);
    await tryModules(join(base, 'modules'), join(folder, 'node_modules'));
  } finally {
    rmSync(base, { recursive: true });
  }
}

const TEST = `import { jest } from '@jest/globals';
import { errors, file } from '../generated/contract.js';

test('a mock is called', () => {
  const mock = jest.fn();
  mock(file);
  expect(mock).toHaveBeenCalledWith('openapi.yaml');
  expect(errors).toHaveProperty('UNKNOWN_PATH');
});
`;

/** Tries a project of ES modules, with a store. @param modules packages that are installed, most of which it needs */
async function tryModules(folder: string, modules: string): Promise<void> {
  await createProject({ contract: CONTRACT, folder, name: undefined, isModule: true, hasStore: true });
  writeFileSync(join(folder, 'tests/mock.test.ts'), TEST);
  renameSync(modules, join(folder, 'node_modules'));
  installAgain(folder);
  runNpm(folder, ['test'], 0, '4 of 4 operations have no handler yet');
  // As ACCEPT_GAPS=1 writes it, the file is not formatted.
  writeFileSync(join(folder, 'tests/accepted-gaps.yaml'), '- { "pattern": "a", "reason": "b" }');
  runNpm(folder, ['run', 'lint'], 0, 'All matched files use Prettier code style');
  runNpm(folder, ['exec', '--', 'tsc', '--module', 'nodenext']);
  const server = readFileSync(join(folder, 'node_modules/@contract-kit/server/package.json'), 'utf8');
  expectSame('whether the package of the server is private', server.includes('"private"'), false);
  expectSame('whether the tests write into the data of npm start', existsSync(join(folder, 'data')), false);
  expectSame('the patch of an update to the same kit', (await updateProject(folder)).patch, '');
}

/** Installs what `npm ci` would, which finds no mistake; packages that are there stay. */
function installAgain(folder: string): void {
  runNpm(folder, ['ci', '--dry-run'], 0, '');
  runNpm(folder, ['install', '--no-audit', '--no-fund'], 0, 'changed');
}

/** The packages of this repository as they may be one day, in a folder of their own. */
function copyKit(folder: string): string {
  for (const name of ['packages', 'tsconfig.json']) cpSync(name, join(folder, name), { recursive: true });
  linkPackages(folder);
  change(join(folder, 'packages/server/CHANGELOG.md'), '# Changelog\n', '# Changelog\n\n## 1.1.0\n\nIt is newer.\n');
  change(join(folder, 'packages/server/package.json'), '"version": "1.0.0"', '"version": "1.1.0"');
  appendFileSync(join(folder, 'packages/server/src/index.ts'), `\nexport const NEWER = true;\n`);
  return folder;
}

/** Updates a project that an older kit made, and that its team has changed. */
async function update(folder: string, newer: string): Promise<void> {
  // What the older kit wrote was different.
  const record = join(folder, 'vendor/kit.json');
  const { Dockerfile, ...files } = JSON.parse(readFileSync(record, 'utf8')) as Record<string, string>;
  const older = `# older\n${String(Dockerfile)}`;
  writeFileSync(record, JSON.stringify({ ...files, Dockerfile: older }));
  writeFileSync(join(folder, 'Dockerfile'), older);
  appendFileSync(join(folder, 'src/app.ts'), '// ours\n');
  change(join(folder, 'package.json'), '"scripts": {', '"scripts": { "ours": "true",');
  const store = readdirSync(join(folder, 'vendor')).find((name) => name.startsWith('contract-kit-store-'));
  runNpm(folder, ['install', '--no-audit', '--no-fund', `./vendor/${String(store)}`], 0, 'added');
  appendFileSync(join(folder, 'src/service.ts'), `\nexport { NEWER } from '@contract-kit/server';\n`);

  const { versions, patch } = await updateProject(folder, () => packKit(newer));
  // The compiler may write the same types of another package in another order: then that is new, too.
  const names = versions.map((line) => String(line.split(':')[0]));
  expectSame('whether the server has a new version', names.includes('@contract-kit/server'), true);
  expectSame(
    'whether only the kit has new versions',
    names.every((name) => name.startsWith('@contract-kit/')),
    true,
  );
  expectSame('the files of the patch', (patch.match(/(?<=^\+\+\+ b\/).*/gm) ?? []).join(), 'Dockerfile');
  expectSame('the Dockerfile before git apply', readFileSync(join(folder, 'Dockerfile'), 'utf8'), older);
  const { status } = spawnSync('git', ['apply', 'vendor/update.patch'], { cwd: folder });
  expectSame('the status of git apply', status, 0);
  expectSame('the Dockerfile after git apply', readFileSync(join(folder, 'Dockerfile'), 'utf8'), String(Dockerfile));
  expectSame(
    'whether the file of the team is kept',
    readFileSync(join(folder, 'src/app.ts'), 'utf8').endsWith('// ours\n'),
    true,
  );
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  expectSame('whether the script of the team is kept', manifest.includes('"ours": "true"'), true);
  const changelog = readFileSync(join(folder, 'vendor/CHANGELOG.md'), 'utf8');
  expectSame('whether the changelog of the kit is new', changelog.includes('It is newer.'), true);
}

/** @throws Error when the validator gets another package than Ajv */
function expectAjv(folder: string): void {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: { ajv: string } };
  const ajv = `ajv@${dependencies.ajv}`;
  expectSame('the package in the place of Ajv', findAjvs(folder).join(), [ajv, ajv, ajv].join());
}

/** @throws Error when they are not the same */
function expectSame(what: string, value: unknown, expected: unknown): void {
  if (value !== expected) throw new Error(`${what}: got ${String(value)} instead of ${String(expected)}`);
}

function change(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
  writeFileSync(file, text.replace(from, to));
}

function writeHandler(folder: string, handler: string): void {
  const text = `import type { Handler } from '../../generated/handlers';\n\nexport const listBooks: Handler<'listBooks'> = ${handler};\n`;
  writeFileSync(join(folder, 'src/handlers/list-books.ts'), text);
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
