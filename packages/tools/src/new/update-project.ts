// Updates a project to the kit of this repository.
import { copyFileSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createDiff } from './create-diff';
import { writeFiles, writeKit } from './create-project';
import { readRecord } from './kit-record';
import { CONTRACT } from './copy-contract';
import { copyProject, type ProjectCopy } from './try-project';
import { isThirdParty, LOCK_FILE, lockProject } from './kit';
import type { Manifest } from './make/package-json';
import { makeProjectFiles } from './make/project-files';
import { mergeChanges } from './merge-changes';
import { ProjectError } from './kit';
import { packKit, toSpecifier, type Kit } from './kit';
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
const NOT_REPLACED = /^(package\.json$|src\/handlers\/)/;

/**
 * Puts a newer kit (the framework that projects are built on) into a project. A file that the team has changed stays as
 * it is; in package.json, each line that the team has changed.
 *
 * @throws ProjectError when the folder is no project, or its contract cannot be served
 * @example const { diffs, changes } = await updateProject('../library')
 */
export async function updateProject(folder: string, pack: () => Kit = packKit): Promise<Update> {
  if (!existsSync(folder)) throw new ProjectError(`there is no ${folder}`);
  const root = realpathSync(folder);
  // What the kit wrote last time: the team has changed whatever is different now.
  const recorded = readRecord(root);
  const contract = await readContract(join(root, CONTRACT));
  const manifest = JSON.parse(readText(join(root, MANIFEST))) as Manifest;
  const recordedManifest = JSON.parse(String(recorded[MANIFEST])) as Manifest;
  const kit = pack();
  const oldChangelog = readText(join(root, 'vendor/CHANGELOG.md'));
  const files = await makeProjectFiles(String(recordedManifest['name']), contract, kit);
  const kitManifest: unknown = JSON.parse(String(files[MANIFEST]));
  const merged = withKitTarballs(mergeChanges(manifest, recordedManifest, kitManifest) as Manifest, kit);

  const isNotReplaced = (file: string): boolean => NOT_REPLACED.test(file) || contract.files.includes(file);
  const changedByKit = Object.entries(files).filter(([file, text]) => !isNotReplaced(file) && text !== recorded[file]);
  const isAsRecorded = (file: string): boolean => readText(join(root, file)) === (recorded[file] ?? '');
  const [replaced, changedByBoth] = partition(changedByKit, ([file]) => isAsRecorded(file));
  const generated = Object.entries(contract.generated).map(([file, text]) => [`generated/${file}`, text] as const);
  const toWrite = {
    ...Object.fromEntries(replaced),
    ...Object.fromEntries(generated.filter(([file, text]) => readText(join(root, file)) !== text)),
    ...(isDeepStrictEqual(merged, manifest) ? {} : { [MANIFEST]: `${JSON.stringify(merged, null, 2)}\n` }),
  };
  const diffs = changedByBoth.map(([file, text]) => `${file}:\n${createDiff(recorded[file] ?? '', text)}`);
  // First in a copy: if an error is thrown here, the project is unchanged.
  using copy = copyProject(root);
  writeFiles(copy.folder, toWrite);
  writeKit(copy.folder, kit, files);
  lockProject(copy.folder, join(root, LOCK_FILE), isThirdParty);
  // The kit's packages first, since they fit together. The project's node_modules has those that the team has added.
  const problem = findStartProblem(copy, [kit.modules, join(root, 'node_modules')]);
  writeFiles(root, toWrite);
  copyFileSync(join(copy.folder, LOCK_FILE), join(root, LOCK_FILE));
  writeKit(root, kit, files);
  return { written: Object.keys(toWrite), diffs, changes: listNewLines(kit.changelog, oldChangelog), problem };
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

// The team may have added packages of the kit that a new project does not depend on.
function withKitTarballs({ dependencies, devDependencies, ...rest }: Manifest, { packages }: Kit): Manifest {
  const tarballs = new Map(packages.map((one) => [one.name, toSpecifier(one)]));
  const withTarballs = (all: Readonly<Record<string, string>> | undefined): Record<string, string> =>
    Object.fromEntries(Object.entries(all ?? {}).map(([name, version]) => [name, tarballs.get(name) ?? version]));
  return { ...rest, dependencies: withTarballs(dependencies), devDependencies: withTarballs(devDependencies) };
}

// Those that the old changelog lacks, below the heading of their package: `# name`.
function listNewLines(next: string, old: string): string {
  const known = new Set(old.split('\n'));
  const sections = next.split(/^(?=# )/m).map((section) => {
    const lines = section.split('\n').filter((line) => line.startsWith('# ') || !known.has(line));
    const hasNewLines = lines.length > 1;
    return hasNewLines ? lines.join('\n') : '';
  });
  return sections.filter((section) => section !== '').join('\n\n');
}

// A problem does not stop the update: the team's code may have to follow it.
function findStartProblem(copy: ProjectCopy, modules: readonly string[]): string | undefined {
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
