// Updates a project to the kit of this repository.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { writeFiles, writeKit } from './create-project';
import { readRecord } from './kit-record';
import { copyProject, type ProjectCopy } from './copy-project';
import { isForeign, LOCK, lockProject } from './lock-project';
import type { Manifest } from './make/package-json';
import { makeProjectFiles } from './make/project-files';
import { NewError } from './options';
import { packKit, toSpecifier, type Kit } from './pack-kit';
import { readContract } from './read-contract';
import { tryProject } from './try-project';

/** What came of an update. */
export interface Update {
  /** The files that were written, by path. */
  readonly written: readonly string[];
  /** What the kit would change in files that the team has changed, or removed: a diff each. */
  readonly diffs: readonly string[];
  /** The lines of the changelogs that are new. */
  readonly changes: string;
  /** Why the project does not compile or start with the new kit; its team has to look. */
  readonly problem: string | undefined;
}

const MANIFEST = 'package.json';

// Files that an update does not replace: package.json is merged, and only the team writes handlers.
const OWN = /^(package\.json$|src\/handlers\/)/;

/**
 * Puts a newer kit into a project. A file that the team has changed stays as it is; in package.json, each line that the
 * team has changed.
 *
 * @param pack makes the packages of the kit
 * @throws NewError when the folder is no project, or its contract cannot be served
 * @example const { diffs, changes } = await updateProject('../library')
 */
export async function updateProject(folder: string, pack: () => Kit = packKit): Promise<Update> {
  if (!existsSync(folder)) throw new NewError(`there is no ${folder}`);
  const root = realpathSync(folder);
  const record = readRecord(root);
  const contract = await readContract(join(root, 'openapi.yaml'));
  const manifest = JSON.parse(readText(join(root, MANIFEST))) as Manifest;
  const before = JSON.parse(String(record[MANIFEST])) as Manifest;
  const kit = pack();
  const changelog = readText(join(root, 'vendor/CHANGELOG.md'));
  const files = await makeProjectFiles(String(before['name']), contract, kit);
  const merged = withKit(merge(manifest, before, JSON.parse(String(files[MANIFEST]))) as Manifest, kit);

  const isOwn = (file: string): boolean => OWN.test(file) || Object.hasOwn(contract.files, file);
  const changed = Object.entries(files).filter(([file, text]) => !isOwn(file) && text !== record[file]);
  const [written, kept] = partition(changed, ([file]) => readText(join(root, file)) === (record[file] ?? ''));
  const generated = Object.entries(contract.generated).map(([file, text]) => [`generated/${file}`, text] as const);
  const toWrite = {
    ...Object.fromEntries(written),
    ...Object.fromEntries(generated.filter(([file, text]) => readText(join(root, file)) !== text)),
    ...(isDeepStrictEqual(merged, manifest) ? {} : { [MANIFEST]: `${JSON.stringify(merged, null, 2)}\n` }),
  };
  const diffs = kept.map(([file, text]) => `${file}:\n${diff(record[file] ?? '', text)}`);
  // All of it is tried in a copy first. If that fails, the project is unchanged.
  using copy = copyProject(root);
  writeFiles(copy.folder, toWrite);
  writeKit(copy.folder, kit, files);
  lockProject(copy.folder, join(root, LOCK), isForeign);
  // The packages of the kit fit together; those that the team has added are its own.
  const problem = findProblem(copy, [kit.modules, join(root, 'node_modules')]);
  writeFiles(root, toWrite);
  copyFileSync(join(copy.folder, LOCK), join(root, LOCK));
  writeKit(root, kit, files);
  return { written: Object.keys(toWrite), diffs, changes: newLines(kit.changelog, changelog), problem };
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** Replaces the tarballs of the kit's packages, including those that the team has added. */
function withKit({ dependencies, devDependencies, ...rest }: Manifest, { packages }: Kit): Manifest {
  const tarballs = new Map(packages.map((one) => [one.name, toSpecifier(one)]));
  const withTarballs = (all: Readonly<Record<string, string>> | undefined): Record<string, string> =>
    Object.fromEntries(Object.entries(all ?? {}).map(([name, version]) => [name, tarballs.get(name) ?? version]));
  return { ...rest, dependencies: withTarballs(dependencies), devDependencies: withTarballs(devDependencies) };
}

/** Merges a value: the current one where the team has changed it since `before`, and else the next one. */
function merge(current: unknown, before: unknown, next: unknown): unknown {
  if (!isRecord(current) || !isRecord(before) || !isRecord(next)) {
    return isDeepStrictEqual(current, before) ? next : current;
  }
  const names = new Set([...Object.keys(current), ...Object.keys(next)]);
  const merged = [...names].map((name) => [name, merge(current[name], before[name], next[name])] as const);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The diff of two texts, without the header of `git diff`. */
function diff(before: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'update-'));
  try {
    writeFiles(folder, { before, after: text });
    const args = ['diff', '--no-index', '--no-color', '--no-ext-diff', '--', 'before', 'after'];
    const { stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    return stdout.slice(Math.max(0, stdout.indexOf('\n@@') + 1));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lists the new lines of changelogs, below the headings of their sections. */
function newLines(next: string, before: string): string {
  const known = new Set(before.split('\n'));
  const sections = next.split(/^(?=# )/m).map((section) => {
    const lines = section.split('\n').filter((line) => line.startsWith('# ') || !known.has(line));
    return lines.length > 1 ? lines.join('\n') : '';
  });
  return sections.filter((section) => section !== '').join('\n\n');
}

// The update is written even then: the team's code may have to follow it.
function findProblem(copy: ProjectCopy, modules: readonly string[]): string | undefined {
  try {
    tryProject(copy, modules);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function readText(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
