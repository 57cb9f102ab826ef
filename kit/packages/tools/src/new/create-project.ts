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
import { dirname, join, relative, resolve } from 'node:path';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { tmpdir } from 'node:os';
import { bundleContract, removeHeader } from '../bundle/bundle-contract';
import { KIT_REPOSITORY, type Kit, lockProject, packKit, ProjectError } from './kit';
import { writeInside } from '../write/write-inside';
import { makeProjectFiles, type ProjectForm } from './project-files';
import { type NewContract, analyseForProject, readContract } from './read-contract';

export interface ProjectOptions extends Partial<ProjectForm> {
  readonly contract: string;
  readonly folder: string;
  /** The name of the project; undefined to derive it from the contract's title. */
  readonly name: string | undefined;
}

/** Called before each step that takes seconds, such as `Packing the kit`. */
export type OnStep = (step: string, done: number, total: number) => void;

export interface NewProject {
  readonly name: string;
  readonly contract: NewContract;
  /** The number of files, without generated/, vendor/ and package-lock.json. */
  readonly size: number;
  readonly tests: TestRun;
}

export interface TestRun {
  /** What the tests printed, such as the number of cases that passed. */
  readonly output: string;
  /** The failed tests, each with its name and the reason. */
  readonly failures: readonly string[];
  /** Whether the tests were stopped before they had finished. */
  readonly isCutOff: boolean;
}

/**
 * Creates a project that serves a contract. Checks in a copy of the project that it compiles and starts, and runs its tests.
 *
 * @throws ProjectError if it cannot be created, in which case its files are removed
 * @example await createProject({ contract: 'library.yaml', folder: '../library', name: undefined })
 */
export async function createProject(
  { contract: file, folder, name: givenName, isModule = false, hasStore = false }: ProjectOptions,
  pack: () => Kit = packKit,
  onStep: OnStep = () => undefined,
): Promise<NewProject> {
  const root = existsSync(folder) ? realpathSync(folder) : resolve(folder);
  assertFolderFree(root, folder);
  // Report errors with their places in the original file. The linter does not run here, since its redocly.yaml could run code.
  analyseForProject(file);
  const isNew = !existsSync(root);
  try {
    const contract = await writeContract(root, file, isModule);
    const name = givenName ?? toName(contract.title);
    onStep('Packing the kit', 0, 4);
    const kit = pack();
    const files = await makeProjectFiles(name, contract, kit, { isModule, hasStore });
    writeFiles(root, files);
    writeKit(root, kit);
    onStep('Locking the npm packages', 1, 4);
    lockProject(root);
    onStep('Compiling and starting a copy of the project', 2, 4);
    const tests = tryProject(root, kit.modules, onStep);
    return { name, contract, size: Object.keys(files).length + 1, tests };
  } catch (error) {
    // An existing folder was empty before, so remove everything in it.
    const paths = isNew ? [root] : listContents(root).map((entry) => join(root, entry));
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

const CONTRACT = 'openapi.yaml';

/** Writes the bundled contract and generated/ into a project. Operations that have errors are not generated. */
export async function writeContract(root: string, file: string, isModule = false): Promise<NewContract> {
  const { source } = bundleContract(readFileSync(file, 'utf8'), file);
  writeFiles(root, { [CONTRACT]: removeHeader(source) });
  const contract = await readContract(relative('', join(root, CONTRACT)), isModule);
  const generatedFiles = Object.entries(contract.generated).map(([name, text]) => [`generated/${name}`, text]);
  writeFiles(root, Object.fromEntries(generatedFiles) as Record<string, string>);
  return contract;
}

export function writeKit(root: string, kit: Kit): void {
  const tarballs = kit.packages.map(({ tarball, bytes }) => [`vendor/${tarball}`, bytes] as const);
  writeFiles(root, { ...Object.fromEntries(tarballs), 'vendor/CHANGELOG.md': kit.changelog });
}

export function writeFiles(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [file, content] of Object.entries(files)) writeInside(root, file, content);
}

// The root must not be inside the kit's repository, or the repository of an application that contains the kit.
function assertFolderFree(root: string, folder: string): void {
  const application = dirname(KIT_REPOSITORY);
  const repository = existsSync(join(application, 'package.json')) ? application : KIT_REPOSITORY;
  if (!relative(repository, root).startsWith('..')) {
    throw new ProjectError(`${folder} is inside this repository; choose a folder outside it`);
  }
  if (!existsSync(root)) return;
  if (!statSync(root).isDirectory()) throw new ProjectError(`${folder} is a file; choose a new or empty folder`);
  if (listContents(root).length > 0) throw new ProjectError(`${folder} is not empty; choose a new or empty folder`);
}

// A new repository contains only .git, so its folder counts as empty.
function listContents(root: string): string[] {
  return readdirSync(root).filter((name) => name !== '.git');
}

const MAX_PACKAGE_NAME_LENGTH = 214;

/** Converts the title of a contract to a package name: `Café Menu` becomes `cafe-menu`. */
export function toName(title: string): string {
  const withoutAccents = title.normalize('NFKD').replace(/\p{M}/gu, '');
  const words = withoutAccents.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = words.join('-').slice(0, MAX_PACKAGE_NAME_LENGTH);
  if (name === '')
    throw new ProjectError(
      `the title ${JSON.stringify(title)} cannot be turned into a package name; choose one with --name`,
    );
  return name;
}

// Compiles, starts and tests a copy of the project, with a link to `modules`, a node_modules folder.
function tryProject(root: string, modules: string, onStep: OnStep): TestRun {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  try {
    cpSync(root, folder, { recursive: true });
    // On Windows, a junction does not need administrator rights, unlike other links.
    symlinkSync(modules, join(folder, 'node_modules'), 'junction');
    const compiler = require.resolve('typescript/bin/tsc');
    runNode(folder, [compiler], 'does not compile');
    runNode(folder, [compiler, '-p', 'src'], 'does not compile');
    runNode(folder, ['dist/main.js', '--check'], 'does not start');
    onStep('Running its tests, for two minutes at most', 3, 4);
    return runTests(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runNode(cwd: string, args: readonly string[], failure: string): void {
  const { status, stdout, stderr } = startNode(cwd, args);
  if (status !== 0) throw new ProjectError(`the new project ${failure}:\n${stdout}${stderr}`);
}

function startNode(cwd: string, args: readonly string[], settings = {}, timeout?: number): SpawnSyncReturns<string> {
  const env = { PATH: process.env['PATH'], LOG_LEVEL: 'silent', PORT: '0', ADMIN_PORT: '0', ...settings };
  return spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8', timeout, killSignal: 'SIGKILL' });
}

/** @param limit the time limit of the conformance suite in milliseconds, since a large contract can take several minutes */
export function runTests(folder: string, limit = 60_000): TestRun {
  const options = ['--runInBand', '--noStackTrace', `--cacheDirectory=${join(folder, 'cache')}`];
  const args = ['--experimental-vm-modules', 'tests/jest.cjs', ...options];
  // The limit does not include the time in which the suite derives its cases.
  const run = startNode(folder, args, { SUITE_LIMIT_MS: String(limit) }, limit + 60_000);
  const [report = ''] = run.stderr.split('\nTest Suites: ');
  const [start = '', ...failedTests] = report.split(/^ {2}● /m);
  // If the report names no test, the run failed before the first test.
  const reportedFailures = failedTests.length > 0 || !run.status ? failedTests : [start];
  const failures = reportedFailures.filter((failure) => !failure.includes('The suite was cut off'));
  return { output: run.stdout, failures, isCutOff: run.status === null || failures.length < reportedFailures.length };
}
