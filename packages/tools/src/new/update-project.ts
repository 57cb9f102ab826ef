// Updates an existing project to the kit of this repository.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isModuleFolder } from '../generate/package-type';
import {
  CONTRACT,
  listTarballs,
  toGeneratedFiles,
  RECORD_FILE,
  writeFiles,
  writeKit,
  type OnStep,
} from './create-project';
import { lockProject, packKit, ProjectError, type Kit } from './kit';
import { KEEP_GOING, makeProjectFiles, type Manifest, type Versions } from './project-files';
import { readContract } from './read-contract';
import { assertInside, removeInside, writeInside } from '../write/write-inside';

type Files = Readonly<Record<string, string>>;

/** The result of an update. */
export interface Update {
  /** The versions that changed in package.json, such as `ajv: 8.20.0`. */
  readonly versions: readonly string[];
  /** The changes to files that the kit writes, as in vendor/update.patch for `git apply`; '' without changes. */
  readonly patch: string;
}

/**
 * Updates the versions of the kit and its dependencies in a project, and regenerates generated/. Other files stay unchanged;
 * the patch shows how the kit would write them now.
 *
 * @throws ProjectError when the folder is not a project, its contract cannot be served, or a file would be written elsewhere
 * @example const { versions, patch } = await updateProject('../library')
 */
export async function updateProject(
  folder: string,
  pack: () => Kit = packKit,
  onStep: OnStep = () => undefined,
): Promise<Update> {
  const recordFile = join(folder, RECORD_FILE);
  if (!existsSync(recordFile)) {
    throw new ProjectError(
      `${folder} has no ${RECORD_FILE}, so it cannot be updated; packages/tools/README.md says what to do`,
    );
  }
  const root = realpathSync(folder);
  const recorded = JSON.parse(readFileSync(recordFile, 'utf8')) as Files;
  const manifest = readManifest(readFileSync(join(root, 'package.json'), 'utf8'));
  const keepsGoing = Object.values(manifest.scripts ?? {}).some((script) => script.includes(KEEP_GOING));
  const contract = await readContract(join(root, CONTRACT), isModuleFolder(root), keepsGoing);
  onStep('Packing the kit');
  const kit = pack();
  const form = { isModule: isModuleFolder(root), hasStore: 'src/store.ts' in recorded };
  const files = await makeProjectFiles(String(manifest['name']), contract, kit, form);
  const next = withVersions(manifest, readManifest(recorded['package.json']), readManifest(files['package.json']), kit);
  const generated = toGeneratedFiles(contract);
  const vendored = ['vendor/CHANGELOG.md', ...kit.packages.map(({ tarball }) => `vendor/${tarball}`)];
  const written = [
    'package.json',
    'package-lock.json',
    RECORD_FILE,
    PATCH_FILE,
    ...vendored,
    ...Object.keys(generated),
  ];
  const outside = Object.keys(recorded).find((file) => !join(root, file).startsWith(join(root, '/')));
  if (outside !== undefined) throw new ProjectError(`${RECORD_FILE} names ${outside}, which is outside the project`);
  // If one file cannot be written, none is.
  for (const file of written) assertInside(root, file);
  const patch = createPatch(root, recorded, files);
  const before = readAll(root, [...written, ...listTarballs(root)]);
  try {
    writeFiles(root, { ...generated, 'package.json': `${JSON.stringify(next, null, 2)}\n` });
    writeKit(root, kit, files);
    writeOrRemove(root, { [PATCH_FILE]: patch === '' ? undefined : patch });
    onStep('Locking the npm packages');
    lockProject(root, root);
  } catch (error) {
    writeOrRemove(root, { ...Object.fromEntries(written.map((file) => [file, undefined])), ...before });
    throw error;
  }
  return { versions: listChanges(manifest, next), patch };
}

/** The file of a project with the changes that the last update would make to files which the team may have changed. */
export const PATCH_FILE = 'vendor/update.patch';

function readAll(root: string, files: readonly string[]): Readonly<Record<string, Buffer>> {
  const existing = files.filter((file) => existsSync(join(root, file)));
  return Object.fromEntries(existing.map((file) => [file, readFileSync(join(root, file))]));
}

function writeOrRemove(root: string, files: Readonly<Record<string, string | Buffer | undefined>>): void {
  for (const [file, content] of Object.entries(files)) {
    if (content === undefined) removeInside(root, file);
    else writeInside(root, file, content);
  }
}

function readManifest(text: string | undefined): Manifest {
  return JSON.parse(String(text)) as Manifest;
}

/** Updates versions that the kit wrote, keeps those that the team wrote, and adds missing dependencies of the service. */
function withVersions(manifest: Manifest, recorded: Manifest, latest: Manifest, { packages }: Kit): Manifest {
  const tarballs = Object.fromEntries(packages.map(({ name, specifier }) => [name, specifier]));
  const [old, next] = [recorded, latest].map(listVersions);
  const current = listVersions(manifest);
  const update = (versions: Versions = {}): Versions =>
    Object.fromEntries(
      Object.entries(versions).map(([name, version]) => [
        name,
        tarballs[name] ?? (version === old?.[name] ? next?.[name] : undefined) ?? version,
      ]),
    );
  const added = Object.entries(latest.dependencies ?? {}).filter(([name]) => !(name in current));
  return {
    ...manifest,
    dependencies: { ...update(manifest.dependencies), ...Object.fromEntries(added) },
    devDependencies: update(manifest.devDependencies),
  };
}

function listVersions({ dependencies, devDependencies }: Manifest): Versions {
  return { ...dependencies, ...devDependencies };
}

function listChanges(before: Manifest, after: Manifest): string[] {
  const old = listVersions(before);
  const versions = Object.entries(listVersions(after));
  return versions.filter(([name, version]) => old[name] !== version).map(([name, version]) => `${name}: ${version}`);
}

// Leaves out handlers, their tests and accepted gaps, which only the team writes, and versions, which are updated already.
function createPatch(root: string, recorded: Files, latest: Files): string {
  const { dependencies, devDependencies } = readManifest(latest['package.json']);
  const manifest = { ...readManifest(recorded['package.json']), dependencies, devDependencies };
  const before = { ...recorded, 'package.json': `${JSON.stringify(manifest, null, 2)}\n` };
  const isOfTeam = (file: string): boolean => /^(?:src|tests)\/handlers\/|^tests\/accepted-gaps\.yaml$/.test(file);
  const folder = mkdtempSync(join(tmpdir(), 'update-'));
  try {
    // Git reads the paths of a patch from the root of its repository, which may be above the project.
    const prefix = runGit(root, 'rev-parse', '--show-prefix').trim();
    for (const [name, files] of Object.entries({ a: before, b: latest })) {
      writeFiles(
        join(folder, name, prefix),
        Object.fromEntries(Object.entries(files).filter(([file]) => !isOfTeam(file))),
      );
    }
    return runGit(folder, 'diff', '--no-index', '--no-color', '--no-ext-diff', '--no-prefix', 'a', 'b');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns what Git prints, whatever its status: 1 is a difference, and 128 is a folder outside a repository. */
function runGit(cwd: string, ...args: string[]): string {
  const { stdout, error } = spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: Infinity });
  if (error) throw new ProjectError(`git cannot be run, and it compares the files of an update: ${error.message}`);
  return stdout;
}
