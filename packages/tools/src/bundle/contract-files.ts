// Reads the files of a contract.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Source, getLineColLocation, BaseResolver, type lintFromString } from '@redocly/openapi-core';
import { ContractError, findReferences, isRemote, parsePart, REMOTE_MESSAGE } from '@contract-kit/contract';
import { type Diagnostic, type Place, isObject, pointerTo, splitPointer } from '../diagnostics/diagnostic';

/** One of the files that a contract is written in. */
export interface ContractFile {
  /** Its path, for messages. */
  readonly name: string;
  readonly text: string;
  /** Integers that a double cannot hold are bigints. Of a file that is neither YAML nor JSON, this is its text. */
  readonly parsed: unknown;
}

/** Where a part of a contract is written: a file and a JSON pointer. */
export interface Origin {
  readonly file: ContractFile;
  readonly pointer: string;
}

/** A remote reference, which nothing follows. */
export interface RemoteReference extends Diagnostic {
  readonly reference: string;
  readonly origin: Origin;
}

export interface ContractFiles {
  readonly root: ContractFile;
  /** The contract and the files that it refers to, by absolute path. */
  readonly files: ReadonlyMap<string, ContractFile>;
  /** The references to files that cannot be resolved. */
  readonly errors: readonly Diagnostic[];
  /** The references that are remote: nothing follows them. */
  readonly remote: readonly RemoteReference[];
  /** The absolute paths of the files, and of those that are missing: `dev` watches both. */
  readonly paths: ReadonlySet<string>;
}

// A name in a path that begins with a dot, such as .git or .env: what is private there would be served.
const HIDDEN_PATH = /(?:^|[\\/])\./;
const NO_FRAGMENT_OR_POINTER = /^(?:#\/?|#\/[^#]*)?$/;
const YAML_OR_JSON_FILE = /\.(?:ya?ml|json)$/i;

/**
 * Reads a contract and all files that it refers to. Only files in its folder or below are opened: a reference
 * to a hidden file, or out of the folder, even by a symbolic link, is an error.
 *
 * @param folder that counts as its folder: one around it
 * @throws ContractError when the text of a file is no YAML
 */
export function readContractFiles(source: string, file: string, folder = dirname(resolve(file))): ContractFiles {
  const rootPath = resolve(file);
  if (!isWithin(folder, rootPath)) throw new ContractError(`${file} is not in ${folder}`);
  const parsed = parsePart(source, file);
  const root = { name: file, text: source, parsed };
  const files = new Map<string, ContractFile>([[rootPath, root]]);
  const paths = new Set([rootPath]);
  const errors: Diagnostic[] = [];
  const remote: RemoteReference[] = [];
  // readReferencedFile adds to `files`, and the loop goes on with the added ones.
  for (const [path, referring] of files) {
    for (const { reference, keys, isOutside } of findReferences(referring.parsed)) {
      if (!isOutside) continue;
      const error = isRemote(reference) ? REMOTE_MESSAGE : readReferencedFile(path, reference);
      if (error === undefined) continue;
      const pointer = pointerTo('#', ...keys);
      const message = `${JSON.stringify(reference)} ${error}`;
      const locate = (): Place => toPlace(referring, pointer);
      if (isRemote(reference)) remote.push({ message, locate, reference, origin: { file: referring, pointer } });
      else errors.push({ message, locate });
    }
  }
  return { root, files, errors, remote, paths };

  // Returns what is wrong with a reference such as `./pet.yaml#/Pet`; undefined if it leads to a part of a file.
  function readReferencedFile(referring: string, reference: string): string | undefined {
    const fragment = toFragment(reference);
    if (!NO_FRAGMENT_OR_POINTER.test(fragment))
      return 'names neither a file nor a part of one, such as ./pet.yaml#/Pet';
    const path = toReferencedPath(referring, reference);
    if (!isWithin(folder, path))
      return 'leads out of the folder of the contract: contract-kit bundle --root makes one file of it';
    paths.add(path);
    if (!files.has(path)) {
      const error = findFileError(folder, path);
      if (error !== undefined) return error;
      const text = readFileSync(path, 'utf8');
      // Messages name it relative to the working directory, as they do the contract.
      const name = join(dirname(file), relative(dirname(rootPath), path));
      // Any other file is an example, which is a text.
      const parsed = YAML_OR_JSON_FILE.test(path) ? parsePart(text, name) : text;
      files.set(path, { name, text, parsed });
    }
    const part = findPart(files.get(path)?.parsed, fragment);
    return part === undefined ? 'does not exist: the file has no such part' : undefined;
  }
}

/** Finds the line and column that a JSON pointer leads to: of its last key, or by default of the value of that key. */
export function toPlace(file: ContractFile, pointer: string, reportOnKey = false): Place {
  const { name, text } = file;
  // Redocly parses the text of a source for the first of its places.
  const source = SOURCES.get(file) ?? new Source(name, text);
  SOURCES.set(file, source);
  const { start } = getLineColLocation({ source, pointer, reportOnKey });
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

/** `/api/pet.yaml` for `./pet.yaml#/Pet` in `/api/openapi.yaml`; for `#/Pet`, the referring file itself. */
function toReferencedPath(referring: string, reference: string): string {
  const [name = ''] = reference.split('#', 1);
  return name === '' ? referring : resolve(dirname(referring), decodePercent(name));
}

/** The fragment of a reference, such as `#/Pet` of `./pet.yaml#/Pet`; '' if it has none. */
function toFragment(reference: string): string {
  const start = reference.indexOf('#');
  return start === -1 ? '' : reference.slice(start);
}

/** Decodes percent-encoded characters, such as `%20`. A text with a wrong encoding stays as it is. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Gives Redocly the files of a contract that were read already. It opens none, and nothing remote. */
export class FilesResolver extends BaseResolver {
  private readonly files: ContractFiles['files'];

  constructor(files: ContractFiles['files']) {
    super();
    this.files = files;
  }

  override resolveExternalRef(base: string | null, reference: string): string {
    return isRemote(reference) ? reference : toReferencedPath(base ?? '', reference);
  }

  override loadExternalRef(path: string): Promise<Source> {
    const file = this.files.get(path);
    if (file) return Promise.resolve(new Source(path, file.text));
    return Promise.reject(new Error(`${path} is not read: it is no file of the contract`));
  }

  /** A bundle then consists of the objects of the parsed files, by which `findOrigin` finds the files. */
  override parseDocument(source: Source): { source: Source; parsed: unknown } {
    return { source, parsed: this.files.get(source.absoluteRef)?.parsed };
  }
}

export type LintProblem = Awaited<ReturnType<typeof lintFromString>>[number];

/** The message for a remote reference, or one to another that leads nowhere: that is reported itself. */
export const CHAINED = '';

/** What is wrong in a document: Redocly does not name the target of a reference that it cannot resolve. */
export function describeProblem(problem: LintProblem, parsed: unknown): string {
  const { node, reference } = readProblem(problem, parsed);
  if (!problem.message.startsWith("Can't resolve $ref") || typeof reference !== 'string') return problem.message;
  if (isRemote(reference)) return CHAINED;
  const target = reference.startsWith('#') ? findPart(parsed, reference) : undefined;
  return isObject(target) && '$ref' in target && target !== node ? CHAINED : `${reference} does not exist`;
}

/** Whether a problem is a remote reference, which `remote` of the contract's files has. */
export function isRemoteProblem(problem: LintProblem, parsed: unknown): boolean {
  const { reference } = readProblem(problem, parsed);
  return typeof reference === 'string' && isRemote(reference);
}

function readProblem({ location: [place] }: LintProblem, parsed: unknown): Record<'node' | 'reference', unknown> {
  const node = findPart(parsed, place?.pointer ?? '#');
  // In a mapping it is a text.
  return { node, reference: isObject(node) ? (node['$ref'] ?? node['externalValue']) : node };
}

function findTarget(files: ContractFiles['files'], referring: string, reference: string): unknown {
  return findPart(files.get(toReferencedPath(referring, reference))?.parsed, toFragment(reference));
}

/**
 * Makes the references that lead to a remote one that reference: in a bundle they would lead nowhere, or to another part.
 * In a mapping, remote ones become the last, since Redocly leaves what is behind them as it is.
 */
export function replaceChained({ files, remote }: Pick<ContractFiles, 'files' | 'remote'>): void {
  let isChanged = false;
  for (const [path, file] of files) {
    for (const { reference, keys } of [...findReferences(file.parsed)]) {
      const target = isRemote(reference) ? undefined : findTarget(files, path, reference);
      const chained = isObject(target) ? remote.find((one) => one.reference === target['$ref']) : undefined;
      if (!chained && !isRemote(reference)) continue;
      const key = String(keys.at(-1));
      const parent = findPart(file.parsed, pointerTo('#', ...keys.slice(0, -1))) as Record<string, unknown>;
      if (keys.at(-2) === 'mapping') Reflect.deleteProperty(parent, key);
      parent[key] = chained?.reference ?? reference;
      isChanged ||= chained !== undefined;
    }
  }
  // What leads to a changed reference leads to the remote one, too.
  if (isChanged) replaceChained({ files, remote });
}
