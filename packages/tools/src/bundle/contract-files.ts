// Reads the files of a contract.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { getLineColLocation, Source } from '@redocly/openapi-core';
import { listOutside, parsePart } from '@contract-kit/server/contract';
import { pointerTo, toKeys } from '../check-contract/problem';
import type { Finding, Place } from '../generate/finding';

/** One of the files that a contract is written in. */
export interface ContractFile {
  /** Its path, for messages. */
  readonly name: string;
  /** Its path in the folder of the contract. */
  readonly path: string;
  readonly text: string;
  /** Integers that a double cannot hold are bigints. Of a file that is neither YAML nor JSON, this is its text. */
  readonly parsed: unknown;
}

/** Where a part of a contract is written. */
export interface Origin {
  readonly file: ContractFile;
  /** In that file. */
  readonly pointer: string;
}

/** The files of a contract. */
export interface ContractFiles {
  /** The contract itself. */
  readonly root: ContractFile;
  /** By absolute path: the contract, and what it refers to. */
  readonly files: ReadonlyMap<string, ContractFile>;
  /** References that lead to none. */
  readonly mistakes: readonly Finding[];
  /** The absolute paths of the files, and of those that are missing. */
  readonly paths: ReadonlySet<string>;
}

// RFC 3986 section 4.2: a reference with a scheme, or with two slashes, is not relative to the file.
const REMOTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;
// No fragment, or a JSON pointer.
const POINTER = /^(?:#\/?|#\/[^#]*)?$/;
const PARSED = /\.(?:ya?ml|json)$/i;

/**
 * Reads a contract and all files that it refers to. Only files in its folder or below are opened: a reference to
 * another host, or out of the folder, even by a symbolic link, is a mistake.
 *
 * @param source the text of the contract
 * @param file its path
 * @throws ContractError when the text of a file is no YAML
 */
export function readContractFiles(source: string, file: string): ContractFiles {
  const path = resolve(file);
  const folder = dirname(path);
  const root = { name: file, path: basename(file), text: source, parsed: parsePart(source, file) };
  const files = new Map<string, ContractFile>([[path, root]]);
  const paths = new Set([path]);
  const mistakes: Finding[] = [];
  // The loop goes on with the files that it adds.
  for (const [path, from] of files) {
    for (const { reference, pointer } of findFileReferences(from.parsed)) {
      const problem = readReferenced(path, reference);
      if (problem === undefined) continue;
      mistakes.push({
        message: `${JSON.stringify(reference)} ${problem}`,
        locate: () => toPlace(from, pointer, false),
      });
    }
  }
  return { root, files, mistakes, paths };

  /** Reads the file that a reference names, unless it was read already. @returns what is wrong with the reference */
  function readReferenced(from: string, reference: string): string | undefined {
    if (REMOTE.test(reference)) return 'is remote: put it into the folder of the contract';
    const fragment = toFragment(reference);
    if (!POINTER.test(fragment)) return 'names neither a file nor a part of one, such as ./pet.yaml#/Pet';
    const path = toPath(from, reference);
    if (!isWithin(folder, path)) return 'leads out of the folder of the contract';
    paths.add(path);
    if (!files.has(path)) {
      const problem = findObstacle(folder, path);
      if (problem !== undefined) return problem;
      const text = readFileSync(path, 'utf8');
      const inFolder = relative(folder, path);
      const name = join(dirname(file), inFolder);
      files.set(path, { name, path: inFolder, text, parsed: PARSED.test(path) ? parsePart(text, name) : text });
    }
    return hasPart(files.get(path)?.parsed, fragment) ? undefined : 'leads nowhere: the file has no such part';
  }
}

/** The path of the file that a reference names. */
export function toPath(from: string, reference: string): string {
  const [name = ''] = reference.split('#', 1);
  return name === '' ? from : resolve(dirname(from), decode(name));
}

/** Converts a JSON pointer to a line and a column: of the key, or else of its value. */
export function toPlace({ name, text }: ContractFile, pointer: string, reportOnKey: boolean): Place {
  const { start } = getLineColLocation({ source: new Source(name, text), pointer, reportOnKey });
  return { file: name, line: start.line, column: start.col };
}

/** Finds the references to other files, each with the pointer to it. */
function* findFileReferences(node: unknown, pointer = '#'): Generator<{ reference: string; pointer: string }> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const location = pointerTo(pointer, key);
    for (const reference of listOutside(key, value)) yield { reference, pointer: location };
    yield* findFileReferences(value, location);
  }
}

function findObstacle(folder: string, path: string): string | undefined {
  if (!existsSync(path)) return 'is missing';
  if (!isWithin(realpathSync(folder), realpathSync(path))) return 'is a link out of the folder of the contract';
  return statSync(path).isFile() ? undefined : 'is no file';
}

function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function toFragment(reference: string): string {
  const start = reference.indexOf('#');
  return start === -1 ? '' : reference.slice(start);
}

function hasPart(parsed: unknown, fragment: string): boolean {
  let node = parsed;
  for (const key of toKeys(decode(fragment))) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return false;
    node = (node as Readonly<Record<string, unknown>>)[key];
  }
  return true;
}

// A wrong percent-encoding stays as it is.
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
