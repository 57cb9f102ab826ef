// Makes a new project.
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  cpSync,
  mkdtempSync,
  symlinkSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { bundleContract, withoutHeader } from '../bundle/bundle-contract';
import { KIT_REPOSITORY, type Kit, lockProject, packKit, ProjectError } from './kit';
import { removeInside, writeInside } from '../write/write-inside';
import { makeProjectFiles, type ProjectForm } from './project-files';
import { type NewContract, analyseForProject, readContract } from './read-contract';

/** A project to be made. */
export interface ProjectOptions extends Partial<ProjectForm> {
  /** The path of its contract. */
  readonly contract: string;
  readonly folder: string;
  /** The name of the project; undefined to derive it from the contract's title. */
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
 * @param pack makes the packages of the kit (the framework that projects are built on)
 * @throws ProjectError when it cannot be made; then nothing is left of it
 * @example await createProject({ contract: 'library.yaml', folder: '../library', name: undefined })
 */
export async function createProject(
  { contract: file, folder, name: given, isModule = false, hasStore = false }: ProjectOptions,
  pack: () => Kit = packKit,
): Promise<NewProject> {
  const root = existsSync(folder) ? realpathSync(folder) : resolve(folder);
  assertFolderFree(root, folder);
  // What is wrong is told with its place where it is. Nothing beside it is read, such as a redocly.yaml: its plugins are
  // code.
  await analyseForProject(file);
  const isNew = !existsSync(root);
  try {
    const contract = await writeContract(root, file, isModule);
    const name = given ?? toName(contract.title);
    const kit = pack();
    const files = await makeProjectFiles(name, contract, kit, { isModule, hasStore });
    writeFiles(root, files);
    writeKit(root, kit, files);
    // With the versions of third-party packages that the kit is tested with.
    lockProject(root, KIT_REPOSITORY);
    tryProject(root, kit.modules);
    return { name, contract, size: Object.keys(files).length + 1 };
  } catch (error) {
    // A folder that was there before was empty: all in it was written here.
    const made = isNew ? [root] : listContents(root).map((entry) => join(root, entry));
    for (const path of made) rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

/** Where a project has its contract, as one document. */
export const CONTRACT = 'openapi.yaml';

/**
 * Writes a contract and its generated/ into a project. Of a contract of several files nothing else is copied.
 *
 * @param keepsGoing whether operations with mistakes are left out
 * @returns it as it is there
 */
export async function writeContract(
  root: string,
  file: string,
  isModule = false,
  keepsGoing = true,
): Promise<NewContract> {
  const { source } = await bundleContract(readFileSync(file, 'utf8'), file);
  writeFiles(root, { [CONTRACT]: withoutHeader(source) });
  const contract = await readContract(relative('', join(root, CONTRACT)), isModule, keepsGoing);
  writeFiles(root, inGenerated(contract));
  return contract;
}

/** The files of generated/, by path. */
export function inGenerated({ generated }: NewContract): Record<string, string> {
  return Object.fromEntries(Object.entries(generated).map(([name, text]) => [`generated/${name}`, text]));
}

/** Where a project has the text of each file that the kit wrote into it, by path. */
export const RECORD_FILE = 'vendor/kit.json';

/** Replaces the kit in vendor/, with a record of `files`, by which an update can tell what the kit writes otherwise. */
export function writeKit(root: string, kit: Kit, files: Readonly<Record<string, string>>): void {
  const vendor = join(root, 'vendor');
  const old = existsSync(vendor) ? readdirSync(vendor).filter((name) => /^contract-kit-.*\.tgz$/.test(name)) : [];
  for (const name of old) removeInside(root, join('vendor', name));
  const tarballs = kit.packages.map(({ tarball, bytes }) => [`vendor/${tarball}`, bytes] as const);
  const texts = { 'vendor/CHANGELOG.md': kit.changelog, [RECORD_FILE]: `${JSON.stringify(files, null, 2)}\n` };
  writeFiles(root, { ...Object.fromEntries(tarballs), ...texts });
}

export function writeFiles(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [file, content] of Object.entries(files)) writeInside(root, file, content);
}

// Asserts that the root is new or empty, and outside of the kit's repository. `folder` is the root as it was typed.
function assertFolderFree(root: string, folder: string): void {
  if (!relative(KIT_REPOSITORY, root).startsWith('..')) {
    throw new ProjectError(`${folder} is within this repository: choose a folder elsewhere`);
  }
  if (!existsSync(root)) return;
  if (!statSync(root).isDirectory()) throw new ProjectError(`${folder} is a file`);
  if (listContents(root).length > 0) throw new ProjectError(`${folder} is not empty`);
}

// The folder of a new repository has nothing but .git.
function listContents(root: string): string[] {
  return readdirSync(root).filter((name) => name !== '.git');
}

// npm's limit for the name of a package.
const MAX_LENGTH = 214;

/** Makes the name of a package from the title of a contract, such as `cafe-menu` from `Café Menu`. */
export function toName(title: string): string {
  const withoutAccents = title.normalize('NFKD').replace(/\p{M}/gu, '');
  const words = withoutAccents.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = words.join('-').slice(0, MAX_LENGTH);
  if (name === '') throw new ProjectError(`no name can be made of the title ${JSON.stringify(title)}: use --name`);
  return name;
}

/**
 * Compiles a copy of a new project, and tries that its service starts. Packages are linked into the copy, not installed.
 *
 * @param modules the folder node_modules with the packages
 * @throws ProjectError with the output of the compiler or the service
 */
function tryProject(root: string, modules: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  try {
    cpSync(root, folder, { recursive: true });
    // On Windows, a junction needs no administrator, as other links do.
    symlinkSync(modules, join(folder, 'node_modules'), 'junction');
    const compiler = require.resolve('typescript/bin/tsc');
    // Checks the types of everything, including the tests. It writes nothing.
    runNode(folder, [compiler], 'does not compile');
    runNode(folder, [compiler, '-p', 'src'], 'does not compile');
    // With --check, the service starts and ends.
    runNode(folder, ['dist/main.js', '--check'], 'does not start');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// The settings let the service log nothing and listen on free ports.
function runNode(cwd: string, args: readonly string[], failure: string): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'silent', PORT: '0', ADMIN_PORT: '0' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new ProjectError(`the project ${failure}:\n${stdout}${stderr}`);
}
