// Reads the files of a contract.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Source, getLineColLocation, BaseResolver, type lintFromString } from '@redocly/openapi-core';
import { ContractError, findOutside, parsePart } from '@contract-kit/server/contract';
import { type Diagnostic, type Place, isObject, pointerTo, splitPointer } from '../diagnostics/diagnostic';

/** One of the files that a contract is written in. */
export interface ContractFile {
  /** Its path, for messages. */
  readonly name: string;
  /** Its path in the folder of the contract. */
  readonly path: string;
  /** Where it was fetched from, but for its query; undefined for a file of the team. */
  readonly url?: URL | undefined;
  readonly text: string;
  /** Integers that a double cannot hold are bigints. Of a file that is neither YAML nor JSON, this is its text. */
  readonly parsed: unknown;
}

/** Where a part of a contract is written: a file and a JSON pointer. */
export interface Origin {
  readonly file: ContractFile;
  readonly pointer: string;
}

export interface ContractFiles {
  readonly root: ContractFile;
  /** The contract and the files that it refers to, by absolute path. */
  readonly files: ReadonlyMap<string, ContractFile>;
  /** The references that cannot be resolved. */
  readonly errors: readonly Diagnostic[];
  /** The absolute paths of the files, and of those that are missing: `dev` watches both. */
  readonly paths: ReadonlySet<string>;
}

// RFC 3986 section 4.2: a reference with a scheme, or with two slashes, is not relative to the file.
export const REMOTE_REFERENCE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;
// A name in a path that begins with a dot, such as .git or .env: what is private there would be served.
const HIDDEN_PATH = /(?:^|[\\/])\./;
// The folder, beside the contract, of what `contract-kit bundle --fetch` fetches: the host, and the path there.
const FETCHED_FOLDER = join('contract', 'remote') + sep;
const NO_FRAGMENT_OR_POINTER = /^(?:#\/?|#\/[^#]*)?$/;
const YAML_OR_JSON_FILE = /\.(?:ya?ml|json)$/i;

/**
 * Reads a contract and all files that it refers to. Only files in its folder or below are opened: a reference to
 * another host is one to what was fetched of it, and one to a hidden file, or out of the folder, even by a symbolic link,
 * is an error.
 *
 * @param folder that counts as its folder: one around it
 * @throws ContractError when the text of a file is no YAML
 */
export function readContractFiles(source: string, file: string, folder = dirname(resolve(file))): ContractFiles {
  const rootPath = resolve(file);
  if (!isWithin(folder, rootPath)) throw new ContractError(`${file} is not in ${folder}`);
  const parsed = parsePart(source, file);
  const root = { name: file, path: relative(folder, rootPath), text: source, parsed };
  const files = new Map<string, ContractFile>([[rootPath, root]]);
  const paths = new Set([rootPath]);
  const errors: Diagnostic[] = [];
  // readReferencedFile adds to `files`, and the loop goes on with the added ones.
  for (const [path, referring] of files) {
    for (const { reference, pointer } of findFileReferences(referring.parsed)) {
      const error = readReferencedFile(path, reference);
      if (error === undefined) continue;
      errors.push({
        message: `${JSON.stringify(reference)} ${error}`,
        locate: () => toPlace(referring, pointer, 'value'),
      });
    }
  }
  return { root, files, errors, paths };

  // Returns what is wrong with a reference such as `./pet.yaml#/Pet`; undefined if it leads to a part of a file.
  function readReferencedFile(referring: string, reference: string): string | undefined {
    const fragment = toFragment(reference);
    if (!NO_FRAGMENT_OR_POINTER.test(fragment))
      return 'names neither a file nor a part of one, such as ./pet.yaml#/Pet';
    const path = toReferencedPath(files, referring, reference);
    if (path === undefined) return 'is remote: put it into the folder of the contract';
    if (!isWithin(folder, path))
      return 'leads out of the folder of the contract: contract-kit bundle --root makes one file of it';
    paths.add(path);
    if (!files.has(path)) {
      const url = toOrigin(path);
      if (url && !existsSync(path)) return 'is remote: contract-kit bundle --fetch copies it';
      const error = findFileError(folder, path);
      if (error !== undefined) return error;
      const text = readFileSync(path, 'utf8');
      const inFolder = relative(folder, path);
      // Messages name it relative to the working directory, as they do the contract.
      const name = join(dirname(file), relative(dirname(rootPath), path));
      // Any other file is an example, which is a text.
      const parsed = YAML_OR_JSON_FILE.test(path) ? parsePart(text, name) : text;
      files.set(path, { name, path: inFolder, url, text, parsed });
    }
    const part = findPart(files.get(path)?.parsed, fragment);
    return part === undefined ? 'leads nowhere: the file has no such part' : undefined;
  }

  function toOrigin(path: string): URL | undefined {
    const [, fetched] = path.split(join(dirname(rootPath), FETCHED_FOLDER));
    const [host, ...names] = fetched?.split(sep) ?? [];
    return host === undefined ? undefined : new URL(`https://${decodePercent(host)}/${names.join('/')}`);
  }
}

/** Finds the line and column that a JSON pointer leads to: of its last key, or of the value of that key. */
export function toPlace(file: ContractFile, pointer: string, target: 'key' | 'value'): Place {
  const { name, text } = file;
  // Redocly parses the text of a source for the first of its places.
  const source = SOURCES.get(file) ?? new Source(name, text);
  SOURCES.set(file, source);
  const { start } = getLineColLocation({ source, pointer, reportOnKey: target === 'key' });
  return { file: name, line: start.line, column: start.col };
}

const SOURCES = new WeakMap<ContractFile, Source>();

function findFileError(folder: string, path: string): string | undefined {
  if (!existsSync(path)) return 'is missing';
  // The path itself is known to be within the folder: a symbolic link may still lead out of it, or to what is hidden.
  const [realFolder, realPath] = [realpathSync(folder), realpathSync(path)];
  if (!isWithin(realFolder, realPath)) return 'is a link out of the folder of the contract';
  if (HIDDEN_PATH.test(relative(realFolder, realPath))) return 'is hidden: a name in its path begins with a dot';
  return statSync(path).isFile() ? undefined : 'is no file';
}

function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

// The part of a parsed file that a fragment such as `#/Pet` names; undefined if there is none. An empty one names the file.
function findPart(parsed: unknown, fragment: string): unknown {
  return splitPointer(decodePercent(fragment)).reduce((node, key) => {
    const isThere = typeof node === 'object' && node !== null && Object.hasOwn(node, key);
    return isThere ? (node as Readonly<Record<string, unknown>>)[key] : undefined;
  }, parsed);
}

/**
 * `/api/pet.yaml` for `./pet.yaml#/Pet` in `/api/openapi.yaml`; for `#/Pet`, the referring file itself; for a reference
 * to another host, the path of what is fetched of it.
 *
 * @param files the contract is the first of them
 * @returns undefined for a reference that is neither to a file nor of http or https
 */
function toReferencedPath(files: ContractFiles['files'], referring: string, reference: string): string | undefined {
  const [name = ''] = reference.split('#', 1);
  if (name === '') return referring;
  const base = files.get(referring)?.url;
  if (!base && !REMOTE_REFERENCE.test(name)) return resolve(dirname(referring), decodePercent(name));
  const [contract = ''] = files.keys();
  const url = toRemoteUrl(name, base);
  return url && toFetchedPath(dirname(contract), url);
}

/** The URL of http or https that a reference leads to, without its fragment; undefined for any other scheme. */
export function toRemoteUrl(reference: string, base?: URL): URL | undefined {
  const url = URL.parse(base || !reference.startsWith('//') ? reference : `https:${reference}`, base);
  if (!url || !/^https?:$/.test(url.protocol) || url.host === '') return undefined;
  url.hash = '';
  return url;
}

/** The path of what is fetched of a URL, for a contract in `folder`. Each part is encoded: it is the name of a file. */
export function toFetchedPath(folder: string, { host, pathname, search }: URL): string {
  const segments = [host, ...pathname.slice(1).split('/').map(decodePercent)];
  const names = segments.map((segment) => encodeURIComponent(segment || 'index').replace(/^\./, '%2E'));
  const path = join(folder, FETCHED_FOLDER, ...names) + encodeURIComponent(search);
  return YAML_OR_JSON_FILE.test(path) ? path : `${path}.yaml`;
}

/** The fragment of a reference, such as `#/Pet` of `./pet.yaml#/Pet`; '' if it has none. */
function toFragment(reference: string): string {
  const start = reference.indexOf('#');
  return start === -1 ? '' : reference.slice(start);
}

/** Decodes percent-encoded characters, such as `%20`. A text with a wrong encoding stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A reference such as `./pet.yaml#/Pet`. */
export interface FileReference {
  readonly reference: string;
  /** The JSON pointer to its text. */
  readonly pointer: string;
}

/** Finds them in the order of the file. */
export function findFileReferences(parsed: unknown): FileReference[] {
  return Array.from(findOutside(parsed), ({ reference, keys }) => ({ reference, pointer: pointerTo('#', ...keys) }));
}

/** Gives Redocly the files of a contract that were read already. It opens none, and nothing remote. */
export class FilesResolver extends BaseResolver {
  protected readonly files: ContractFiles['files'];

  constructor(files: ContractFiles['files']) {
    super();
    this.files = files;
  }

  override resolveExternalRef(base: string | null, reference: string): string {
    return toReferencedPath(this.files, base ?? '', reference) ?? reference;
  }

  override loadExternalRef(path: string): Promise<Source> {
    const file = this.files.get(path);
    if (file) return Promise.resolve(new Source(path, file.text));
    return Promise.reject(new Error(`${path} is not read: it is no file of the contract`));
  }
}

export type LintProblem = Awaited<ReturnType<typeof lintFromString>>[number];

/** The message for a reference to another one that leads nowhere: that is reported itself. */
export const CHAINED = '';

/** What is wrong: Redocly does not name the target of a reference that it cannot resolve. */
export function describeProblem({ message, location }: LintProblem, files: ContractFiles['files']): string {
  const [place] = location;
  const parsed = files.get(String(place?.source.absoluteRef))?.parsed;
  const node = findPart(parsed, place?.pointer ?? '#');
  // In a mapping it is a text.
  const reference = isObject(node) ? node['$ref'] : node;
  if (!message.startsWith("Can't resolve $ref") || typeof reference !== 'string') return message;
  const target = reference.startsWith('#') ? findPart(parsed, reference) : undefined;
  return isObject(target) && '$ref' in target && target !== node ? CHAINED : `${reference} leads nowhere`;
}

/** Finds where Redocly reports a problem. One without a location is at line 1 of the contract. */
export function locateProblem(problem: LintProblem, files: ContractFiles['files'], contractFile: string): Place {
  const [location] = problem.location;
  const start = location && getLineColLocation(location).start;
  const name = files.get(String(location?.source.absoluteRef))?.name ?? contractFile;
  return { file: name, line: start?.line ?? 1, column: start?.col ?? 1 };
}
