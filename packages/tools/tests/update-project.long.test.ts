import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeContract, writeFiles } from '../src/new/create-project';
import { makeProjectFiles } from '../src/new/project-files';
import { updateProject } from '../src/new/update-project';
import { useFolder } from '../../../tests/support/use-folder';

const base = useFolder();
const KIT = { packages: [], changelog: '', modules: '' };

/** A project of the kit in a folder of a Git repository, whose Dockerfile is an older one. */
async function makeOlderProject(): Promise<{ root: string; files: () => Record<string, string> }> {
  const root = join(mkdtempSync(join(base, 'repository-')), 'services/one');
  const recorded = await makeProjectFiles('one', await writeContract(root, 'tests/fixtures/lending.yaml'), KIT);
  const Dockerfile = '# older\n';
  const kit = { ...recorded, Dockerfile, 'tests/accepted-gaps.yaml': '[]\n' };
  writeFiles(root, { ...kit, 'vendor/kit.json': JSON.stringify(kit), 'vendor/contract-kit-server-1.0.0.tgz': 'older' });
  execFileSync('git', ['init', '--quiet', join(root, '../..')]);
  const list = (): string[] =>
    globSync('**', { cwd: root, withFileTypes: false }).filter((path) => statSync(join(root, path)).isFile());
  return {
    root,
    files: () => Object.fromEntries(list().map((path) => [path, readFileSync(join(root, path), 'utf8')])),
  };
}

test('an update that fails leaves the project as it was', async () => {
  const { root, files } = await makeOlderProject();
  const before = files();
  // There is no package-lock.json.
  await expect(updateProject(root, () => KIT)).rejects.toThrow('package-lock.json does not exist');
  expect(files()).toEqual(before);
});

test('git apply takes the patch of an update in a folder of a repository', async () => {
  const { root } = await makeOlderProject();
  writeFiles(root, { 'package-lock.json': '{ "lockfileVersion": 3, "packages": {} }' });
  const { patch } = await updateProject(root, () => KIT);
  expect(patch).not.toContain('accepted-gaps');
  expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toBe('# older\n');
  execFileSync('git', ['apply', 'vendor/update.patch'], { cwd: root });
  expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toMatch(/^FROM /m);
});
