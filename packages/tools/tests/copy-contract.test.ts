import { existsSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleContract } from '../src/bundle/bundle-contract';
import { createProject, writeContract, writeFiles } from '../src/new/create-project';
import { updateProject } from '../src/new/update-project';
import { writeSeveralFiles } from './several-files';
import { useFolder } from '../../../tests/support/use-folder';
import { makeProject } from './make-project';

// What is written into a project, and nowhere else.

const base = useFolder();
const folder = join(base, 'given');
const file = writeSeveralFiles(folder);
const KIT = { packages: [], changelog: '', modules: '' };

test('a project gets a contract of several files as one document, and no other files of it', async () => {
  const project = join(base, 'copied');
  const { operations, generated } = await writeContract(project, file);
  expect(operations.map(({ id }) => id)).toEqual(['listAnimals', 'addAnimal', 'getAnimal', 'listTills']);
  expect(Object.keys(generated)).not.toContain('openapi.yaml');
  expect(readdirSync(project).sort()).toEqual(['generated', 'openapi.yaml']);
  const copy = readFileSync(join(project, 'openapi.yaml'), 'utf8');
  expect(copy).toMatch(/^openapi: /);
  expect(bundleContract(readFileSync(file, 'utf8'), file).source).toContain(copy);
});

test('code next to a contract does not run, and a project that cannot be created leaves no files', async () => {
  const [project, ran] = [join(base, 'project'), join(base, 'ran')];
  writeFileSync(join(folder, 'redocly.yaml'), 'plugins: [./plugin.js]\n');
  writeFileSync(join(folder, 'plugin.js'), `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '');\n`);
  const making = createProject({ contract: file, folder: project, name: undefined }, () => {
    expect(readdirSync(project).sort()).toEqual(['generated', 'openapi.yaml']);
    throw new Error('no kit');
  });
  await expect(making).rejects.toThrow('no kit');
  expect([ran, project].filter((path) => existsSync(path))).toEqual([]);
});

// An update writes only into the project, which may be one of others.

test.each(['../../evil.txt', 'a/../../../evil.txt'])('a record that names %s is rejected', async (file) => {
  using project = await makeProject();
  const { folder: root } = project;
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  writeFiles(root, { 'vendor/kit.json': JSON.stringify({ 'package.json': manifest, [file]: 'evil' }) });
  await expect(updateProject(root, () => KIT)).rejects.toThrow(`vendor/kit.json names ${file}, which is outside`);
});

const PATHS = [
  'generated',
  'vendor',
  'package.json',
  'package-lock.json',
  'vendor/CHANGELOG.md',
  'generated/contract.js',
];

test.each(PATHS)('a link at %s is rejected, and nothing is written through it', async (path) => {
  using project = await makeProject();
  const { folder: root } = project;
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  writeFiles(root, { 'package-lock.json': '{}', 'vendor/CHANGELOG.md': '' });
  writeFiles(root, { 'vendor/kit.json': JSON.stringify({ 'package.json': manifest }) });
  const target = join(base, path.replace('/', '-'));
  renameSync(join(root, path), target);
  symlinkSync(target, join(root, path));
  const readTarget = (): unknown =>
    statSync(target).isDirectory() ? readdirSync(target) : readFileSync(target, 'utf8');
  const before = readTarget();
  await expect(updateProject(root, () => KIT)).rejects.toThrow(/replace it with a file|replace the symbolic link/);
  expect(readTarget()).toEqual(before);
});

test('an update leaves out operations with mistakes only if a script of the project has the option', async () => {
  using project = await makeProject('tests/fixtures/contracts/almost-valid.yaml');
  const { folder: root } = project;
  const pack = (): never => {
    throw new Error('packed');
  };
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  writeFiles(root, { 'vendor/kit.json': JSON.stringify({ 'package.json': text }) });
  await expect(updateProject(root, pack)).rejects.toThrow('packed');
  const manifest = JSON.parse(text) as { readonly scripts: object };
  const strict = { ...manifest, description: 'A shop --keep-going', scripts: {} };
  writeFiles(root, { 'package.json': JSON.stringify(strict) });
  await expect(updateProject(root, pack)).rejects.toThrow(/openapi\.yaml:\d+:\d+ /);
});
