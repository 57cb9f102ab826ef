import { readdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { writeFiles } from '../src/new/create-project';
import { updateProject } from '../src/new/update-project';
import { useFolder } from '../../../tests/support/use-folder';
import { makeProject } from './make-project';

// An update writes only into the project, which may be one of others. `npm run check -- new` updates a project of the kit.

const outside = useFolder();
const kit = { packages: [], changelog: '', modules: '' };

test.each(['../../evil.txt', 'a/../../../evil.txt'])('a record that names %s is refused', async (file) => {
  using project = await makeProject();
  const { folder } = project;
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  writeFiles(folder, { 'vendor/kit.json': JSON.stringify({ 'package.json': manifest, [file]: 'evil' }) });
  await expect(updateProject(folder, () => kit)).rejects.toThrow(`vendor/kit.json names ${file}, which is outside`);
});

const PATHS = [
  'generated',
  'vendor',
  'package.json',
  'package-lock.json',
  'vendor/CHANGELOG.md',
  'generated/contract.js',
];

test.each(PATHS)('a link at %s is refused, and nothing is written through it', async (path) => {
  using project = await makeProject();
  const { folder } = project;
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  writeFiles(folder, { 'package-lock.json': '{}', 'vendor/CHANGELOG.md': '' });
  writeFiles(folder, { 'vendor/kit.json': JSON.stringify({ 'package.json': manifest }) });
  const target = join(outside, path.replace('/', '-'));
  renameSync(join(folder, path), target);
  symlinkSync(target, join(folder, path));
  const readTarget = (): unknown =>
    statSync(target).isDirectory() ? readdirSync(target) : readFileSync(target, 'utf8');
  const before = readTarget();
  await expect(updateProject(folder, () => kit)).rejects.toThrow('is a link: an update writes only into the project');
  expect(readTarget()).toEqual(before);
});
