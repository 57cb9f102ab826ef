// Makes a new project.
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { copyProject } from './copy-project';
import { RECORD } from './kit-record';
import { isForeign, LOCK, lockProject } from './lock-project';
import { makeProjectFiles } from './make/project-files';
import { NewError } from './options';
import { packKit, ROOT, type Kit } from './pack-kit';
import { readContract, type NewContract } from './read-contract';
import { toName } from './to-name';
import { tryProject } from './try-project';

/** A project to be made. */
export interface ProjectOptions {
  /** The path of its contract. */
  readonly contract: string;
  readonly folder: string;
  /** Undefined leaves it to the title of the contract. */
  readonly name: string | undefined;
}

/** A project that was made. */
export interface NewProject {
  readonly name: string;
  readonly contract: NewContract;
  /** How many files it has, without generated/, vendor/ and the lock. */
  readonly size: number;
}

/**
 * Makes a project that serves a contract, and tries in a copy that it compiles and starts.
 *
 * @param pack makes the packages of the kit
 * @throws NewError when it cannot be made; then nothing is left of it
 * @example await createProject({ contract: 'library.yaml', folder: '../library', name: undefined })
 */
export async function createProject(
  { contract: file, folder, name: given }: ProjectOptions,
  pack: () => Kit = packKit,
): Promise<NewProject> {
  const root = existsSync(folder) ? realpathSync(folder) : resolve(folder);
  assertFree(root, folder);
  const contract = await readContract(file);
  const name = given ?? toName(contract.title);
  const kit = pack();
  const files = await makeProjectFiles(name, contract, kit);
  const isNew = !existsSync(root);
  try {
    writeFiles(root, files);
    writeFiles(join(root, 'generated'), contract.generated);
    writeKit(root, kit, files);
    // Without the packages of the kit: they come from vendor/.
    lockProject(root, join(ROOT, LOCK), (path) => isForeign(path) && !path.startsWith('packages/'));
    using copy = copyProject(root);
    tryProject(copy, [kit.modules]);
  } catch (error) {
    // A folder that was there was empty.
    const made = isNew ? [root] : contentsOf(root).map((entry) => join(root, entry));
    for (const path of made) rmSync(path, { recursive: true, force: true });
    throw error;
  }
  return { name, contract, size: Object.keys(files).length };
}

/** Replaces the kit in vendor/ by this one. */
export function writeKit(root: string, kit: Kit, files: Readonly<Record<string, string>>): void {
  const vendor = join(root, 'vendor');
  const old = existsSync(vendor) ? readdirSync(vendor).filter((name) => /^contract-kit-.*\.tgz$/.test(name)) : [];
  for (const name of old) rmSync(join(vendor, name));
  const tarballs = kit.packages.map(({ tarball, bytes }) => [`vendor/${tarball}`, bytes] as const);
  const texts = { 'vendor/CHANGELOG.md': kit.changelog, [RECORD]: `${JSON.stringify(files, null, 2)}\n` };
  writeFiles(root, { ...Object.fromEntries(tarballs), ...texts });
}

export function writeFiles(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
}

function assertFree(root: string, folder: string): void {
  if (!relative(ROOT, root).startsWith('..')) {
    throw new NewError(`${folder} is within this repository: choose a folder elsewhere`);
  }
  if (!existsSync(root)) return;
  if (!statSync(root).isDirectory()) throw new NewError(`${folder} is a file`);
  if (contentsOf(root).length > 0) throw new NewError(`${folder} is not empty`);
}

// The folder of a new repository has nothing but .git.
function contentsOf(root: string): string[] {
  return readdirSync(root).filter((name) => name !== '.git');
}
