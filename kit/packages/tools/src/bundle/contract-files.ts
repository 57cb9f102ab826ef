import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Source, getLineColLocation } from '@redocly/openapi-core';
import {
  ContractError,
  createToPointer,
  type DocumentError,
  findReferences,
  parsePart,
  whyUnfollowed,
} from '@contract-kit/contract';
import {
  type ContractDiagnostic,
  type Diagnostic,
  type Place,
  pointerTo,
  splitPointer,
} from '../diagnostics/diagnostic';

export interface ContractFile {
  /** The path that messages show. */
  readonly name: string;
  readonly text: string;
  /** The value of the file, or its text if it is neither YAML nor JSON. Integers that a double cannot represent are bigints. */
  readonly parsed: unknown;
}

/** A location in one of a contract's files. */
export interface Origin {
  readonly file: ContractFile;
  readonly pointer: string;
}

export interface ContractFiles {
  readonly root: ContractFile;
  /** All files by absolute path, including the contract itself. */
  readonly files: ReadonlyMap<string, ContractFile>;
  /** References to files or parts that do not exist. */
  readonly errors: readonly Diagnostic[];
  /** References that are never followed: to a remote file, or to an $anchor. */
  readonly unfollowed: readonly Diagnostic[];
  /** The absolute paths of all files, even missing ones, for `dev` to watch. */
  readonly paths: ReadonlySet<string>;
}

// Matches a path with a name that begins with a dot, such as .env. Such a file can be private, but clients get the contract.
const HIDDEN_PATH = /(?:^|[\\/])\./;
const YAML_OR_JSON_FILE = /\.(?:ya?ml|json)$/i;

/** @throws Error if the file is missing or a folder */
export function readContractText(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new Error(`${file} does not exist`);
  if (stats.isDirectory()) throw new Error(`${file} is a folder, and not a file`);
  return readFileSync(file, 'utf8');
}

/**
 * Reads a contract and all files that it refers to. Never opens hidden files, or files outside the folder, even through a symbolic
 * link.
 *
 * @param folder a folder around the contract; by default the contract's own folder
 * @throws ContractError if a file is not YAML
 */
export function readContractFiles(source: string, file: string, folder = dirname(resolve(file))): ContractFiles {
  const rootPath = resolve(file);
  if (!isWithin(folder, rootPath)) throw new ContractError(`${file} is not inside the folder ${folder}`);
  const parsed = parsePart(source, file);
  const root = { name: file, text: source, parsed };
  const files = new Map<string, ContractFile>([[rootPath, root]]);
  const paths = new Set([rootPath]);
  const errors: Diagnostic[] = [];
  const unfollowed: Diagnostic[] = [];
  for (const [path, referring] of files) {
    for (const { reference, keys, isOutside } of findReferences(referring.parsed)) {
      // A dangling reference inside the contract itself affects only the operations that need it, so it is reported later.
      const isOfContract = path === rootPath || !reference.startsWith('#');
      if (!isOutside && isOfContract) continue;
      const reason = whyUnfollowed(reference);
      const error = reason ?? readReferencedFile(path, reference);
      if (error === undefined) continue;
      const message = `${JSON.stringify(reference)} ${error}`;
      const locate = (): Place => toPlace(referring, pointerTo('#', ...keys));
      (reason === undefined ? errors : unfollowed).push({ message, locate });
    }
  }
  return { root, files, errors, unfollowed, paths };

  function readReferencedFile(referring: string, reference: string): string | undefined {
    const fragment = toFragment(reference);
    const path = toReferencedPath(referring, reference);
    if (!isWithin(folder, path))
      return 'leads out of the folder of the contract; contract-kit bundle --root DIR makes a single file from it';
    paths.add(path);
    if (!files.has(path)) {
      const error = findFileError(folder, path);
      if (error !== undefined) return error;
      const text = readFileSync(path, 'utf8');
      // Messages name files relative to the working directory.
      const name = join(dirname(file), relative(dirname(rootPath), path));
      const parsed = YAML_OR_JSON_FILE.test(path) ? parsePart(text, name) : text;
      files.set(path, { name, text, parsed });
    }
    const part = findPart(files.get(path)?.parsed, fragment);
    return part === undefined ? 'does not exist: the file has no such part' : undefined;
  }
}

/** Finds the line and column of a value, or of its key. */
export function toPlace(file: ContractFile, pointer: string, reportOnKey = false): Place {
  const { name, text } = file;
  // Reuse the Source, which caches its parsed text.
  const source = SOURCES.get(file) ?? new Source(name, text);
  SOURCES.set(file, source);
  const { start } = getLineColLocation({ source, pointer, reportOnKey });
  return { file: name, line: start.line, column: start.col };
}

const SOURCES = new WeakMap<ContractFile, Source>();

/** Creates a function that converts errors in the document to diagnostics with a file, line and column. */
export function createToDiagnostic(
  trace: (pointer: string) => Origin,
  documents: readonly object[],
): (error: Pick<DocumentError, 'node' | 'key' | 'message'>) => ContractDiagnostic {
  const toPointer = createToPointer(documents);
  return (error) => {
    const { message, key } = error;
    const { file, pointer } = trace(toPointer(error));
    return {
      message,
      pointer: file.name + pointer,
      locate: () => toPlace(file, pointer, key !== undefined),
    };
  };
}

function findFileError(folder: string, path: string): string | undefined {
  if (!existsSync(path)) return 'does not exist';
  // Although the path is inside the folder, a symbolic link may lead out of it, or to a hidden file.
  const [realFolder, realPath] = [realpathSync(folder), realpathSync(path)];
  if (!isWithin(realFolder, realPath)) return 'is a symbolic link that leads out of the folder of the contract';
  if (HIDDEN_PATH.test(relative(realFolder, realPath)))
    return 'is hidden, because a name in its path begins with a dot; rename it';
  return statSync(path).isFile() ? undefined : 'is not a file';
}

function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function findPart(parsed: unknown, fragment: string): unknown {
  return memberAt(parsed, splitPointer(decodePercent(fragment)));
}

/** Returns the value at a path of keys; undefined if there is none. */
export function memberAt(node: unknown, keys: readonly string[]): unknown {
  return keys.reduce((owner, key) => {
    const hasKey = typeof owner === 'object' && owner !== null && Object.hasOwn(owner, key);
    return hasKey ? (owner as Readonly<Record<string, unknown>>)[key] : undefined;
  }, node);
}

/** Returns `/api/pet.yaml` for `./pet.yaml#/Pet` in `/api/openapi.yaml`, and the referring file itself for `#/Pet`. */
export function toReferencedPath(referring: string, reference: string): string {
  const [name = ''] = reference.split('#', 1);
  return name === '' ? referring : resolve(dirname(referring), decodePercent(name));
}

function toFragment(reference: string): string {
  const start = reference.indexOf('#');
  return start === -1 ? '' : reference.slice(start);
}

// Leaves text with an invalid encoding unchanged.
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The part of a file to which a reference points. */
export interface Target {
  readonly path: string;
  /** For example `#/Pet`, or `#` for the whole file. */
  readonly fragment: string;
  readonly node: unknown;
}

/** Finds the target of a reference in the file at the path `referring`. */
export function findTarget(files: ContractFiles['files'], referring: string, reference: string): Target {
  const path = toReferencedPath(referring, reference);
  const fragment = toFragment(reference) || '#';
  return { path, fragment, node: findPart(files.get(path)?.parsed, fragment) };
}

/** Follows references until the target is not a reference, or is one that is never followed or closes a cycle. */
export function followReferences(files: ContractFiles['files'], first: Target): Target {
  const seenNodes = new Set<unknown>();
  let target = first;
  for (;;) {
    const { $ref } = Object(target.node) as { readonly $ref?: unknown };
    if (typeof $ref !== 'string' || whyUnfollowed($ref) !== undefined || seenNodes.has(target.node)) return target;
    seenNodes.add(target.node);
    target = findTarget(files, target.path, $ref);
  }
}
