// Reads the files of a contract.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Source, getLineColLocation, BaseResolver, type lintFromString } from '@redocly/openapi-core';
import { ContractError, findReferences, isRemote, parsePart, REMOTE_MESSAGE } from '@contract-kit/contract';
import { type Diagnostic, type Place, isObject, pointerTo, splitPointer } from '../diagnostics/diagnostic';

/** One of the files of a contract. */
export interface ContractFile {
  /** Its path, for messages. */
  readonly name: string;
  readonly text: string;
  /** Integers that a double cannot hold are bigints. A file that is neither YAML nor JSON is parsed to its text. */
  readonly parsed: unknown;
}

/** The file that has a part of a contract, and the JSON pointer of the part. */
export interface Origin {
  readonly file: ContractFile;
  readonly pointer: string;
}

/** A remote reference, which is never followed. */
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
  /** The remote references, which are never followed. */
  readonly remote: readonly RemoteReference[];
  /** The absolute paths of the files, including missing ones: `dev` watches both. */
  readonly paths: ReadonlySet<string>;
}

// A name in a path that begins with a dot, such as .git or .env, may be private, and the contract is served.
const HIDDEN_PATH = /(?:^|[\\/])\./;
const NO_FRAGMENT_OR_POINTER = /^(?:#\/?|#\/[^#]*)?$/;
const YAML_OR_JSON_FILE = /\.(?:ya?ml|json)$/i;

/** @throws Error when the file is missing, or is a folder */
export function readContractText(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new Error(`${file} does not exist`);
  if (stats.isDirectory()) throw new Error(`${file} is a folder, and not a file`);
  return readFileSync(file, 'utf8');
}

/**
 * Reads a contract and all files that it refers to. It opens only files inside the folder: a reference to a hidden file, or
 * to a file outside the folder, even through a symbolic link, is an error.
 *
 * @param folder a folder around the contract; by default the contract's own folder
 * @throws ContractError when the text of a file is not YAML
 */
export function readContractFiles(source: string, file: string, folder = dirname(resolve(file))): ContractFiles {
  const rootPath = resolve(file);
  if (!isWithin(folder, rootPath)) throw new ContractError(`${file} is not inside the folder ${folder}`);
  const parsed = parsePart(source, file);
  const root = { name: file, text: source, parsed };
  const files = new Map<string, ContractFile>([[rootPath, root]]);
  const paths = new Set([rootPath]);
  const errors: Diagnostic[] = findWholeReferences(parsed).map(({ keys, message }) => {
    return { message, locate: () => toPlace(root, pointerTo('#', ...keys)) };
  });
  const remote: RemoteReference[] = [];
  // readReferencedFile adds to `files`, and the loop also visits the added files.
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

  // Returns the problem with a reference such as `./pet.yaml#/Pet`; undefined if it leads to a part of a file.
  function readReferencedFile(referring: string, reference: string): string | undefined {
    const fragment = toFragment(reference);
    if (!NO_FRAGMENT_OR_POINTER.test(fragment))
      return 'must end with a file name or a JSON pointer, as in ./pet.yaml#/Pet';
    const path = toReferencedPath(referring, reference);
    if (!isWithin(folder, path))
      return 'leads out of the folder of the contract; contract-kit bundle --root DIR makes a single file from it';
    paths.add(path);
    if (!files.has(path)) {
      const error = findFileError(folder, path);
      if (error !== undefined) return error;
      const text = readFileSync(path, 'utf8');
      // Messages name the file relative to the working directory, like the contract.
      const name = join(dirname(file), relative(dirname(rootPath), path));
      // Any other file is an example, and is used as text.
      const parsed = YAML_OR_JSON_FILE.test(path) ? parsePart(text, name) : text;
      files.set(path, { name, text, parsed });
    }
    const part = findPart(files.get(path)?.parsed, fragment);
    return part === undefined ? 'does not exist: the file has no such part' : undefined;
  }
}

/** Finds the line and column of the value that a JSON pointer leads to, or of its key. */
export function toPlace(file: ContractFile, pointer: string, reportOnKey = false): Place {
  const { name, text } = file;
  // Redocly parses a source's text once, when it first looks up a place.
  const source = SOURCES.get(file) ?? new Source(name, text);
  SOURCES.set(file, source);
  const { start } = getLineColLocation({ source, pointer, reportOnKey });
  return { file: name, line: start.line, column: start.col };
}

const SOURCES = new WeakMap<ContractFile, Source>();

function findFileError(folder: string, path: string): string | undefined {
  if (!existsSync(path)) return 'does not exist';
  // The path itself is inside the folder, but a symbolic link may still lead out of it, or to a hidden file.
  const [realFolder, realPath] = [realpathSync(folder), realpathSync(path)];
  if (!isWithin(realFolder, realPath)) return 'is a symbolic link that leads out of the folder of the contract';
  if (HIDDEN_PATH.test(relative(realFolder, realPath)))
    return 'is hidden, because a name in its path begins with a dot; rename it';
  return statSync(path).isFile() ? undefined : 'is not a file';
}

function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

// Returns the part of a parsed file at a fragment such as `#/Pet`; undefined if it is missing. An empty fragment is the file.
function findPart(parsed: unknown, fragment: string): unknown {
  return splitPointer(decodePercent(fragment)).reduce((node, key) => {
    const hasKey = typeof node === 'object' && node !== null && Object.hasOwn(node, key);
    return hasKey ? (node as Readonly<Record<string, unknown>>)[key] : undefined;
  }, parsed);
}

/** `/api/pet.yaml` for `./pet.yaml#/Pet` in `/api/openapi.yaml`; for `#/Pet`, the referring file itself. */
function toReferencedPath(referring: string, reference: string): string {
  const [name = ''] = reference.split('#', 1);
  return name === '' ? referring : resolve(dirname(referring), decodePercent(name));
}

/** The fragment of a reference, such as `#/Pet` for `./pet.yaml#/Pet`; '' without one. */
function toFragment(reference: string): string {
  const start = reference.indexOf('#');
  return start === -1 ? '' : reference.slice(start);
}

/** Decodes percent-encoded characters, such as `%20`. Text with an invalid encoding stays unchanged. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Gives Redocly the files of a contract that were read already. It opens no files and fetches nothing. */
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
    return Promise.reject(new Error(`${path} is not read, because it is not one of the contract's files`));
  }

  /** Returns the parsed objects, so that a bundle consists of them and `findOrigin` can find their files. */
  override parseDocument(source: Source): { source: Source; parsed: unknown } {
    return { source, parsed: this.files.get(source.absoluteRef)?.parsed };
  }
}

export type LintProblem = Awaited<ReturnType<typeof lintFromString>>[number];

/** The message of a reference that is not reported, because it leads to another reference that is. */
export const CHAINED = '';

/** Describes a problem. Redocly does not name the target of a reference that it cannot resolve. */
export function describeProblem(problem: LintProblem, parsed: unknown): string {
  const { node, reference } = readProblem(problem, parsed);
  if (!problem.message.startsWith("Can't resolve $ref") || typeof reference !== 'string') return problem.message;
  if (isRemote(reference)) return CHAINED;
  const target = reference.startsWith('#') ? findPart(parsed, reference) : undefined;
  return isObject(target) && '$ref' in target && target !== node ? CHAINED : `${reference} does not exist`;
}

// By what a reference stands for: the key of one member, and where it is in the other file.
const EXAMPLES: Readonly<Record<string, readonly [string, string]>> = {
  paths: ['/books', '~1books'],
  components: ['schemas: { Book', 'schemas/Book'],
};

// Finds references that stand for all paths, all components or all of one kind, which OpenAPI does not allow.
function findWholeReferences(document: unknown): { readonly keys: readonly string[]; readonly message: string }[] {
  const { components } = Object(document) as { readonly components?: unknown };
  const kinds = Object.keys(Object(components) as object).map((kind) => ['components', kind]);
  return [['paths'], ['webhooks'], ['components'], ...kinds].flatMap((keys) => {
    const { $ref } = Object(findPart(document, pointerTo('#', ...keys))) as { readonly $ref?: unknown };
    if (typeof $ref !== 'string') return [];
    const kind = keys.at(-1) ?? '';
    const [name, path] = EXAMPLES[kind] ?? ['Book', 'Book'];
    const message = `a reference cannot stand for all ${kind}: write one for each, such as ${name}: { $ref: '${$ref}#/${path}' }${kind === 'components' ? ' }' : ''}`;
    return [{ keys: [...keys, '$ref'], message }];
  });
}

/** Whether a problem is a remote reference, which readContractFiles lists in `remote`. */
export function isRemoteProblem(problem: LintProblem, parsed: unknown): boolean {
  const { reference } = readProblem(problem, parsed);
  return typeof reference === 'string' && isRemote(reference);
}

function readProblem({ location: [place] }: LintProblem, parsed: unknown): Record<'node' | 'reference', unknown> {
  const node = findPart(parsed, place?.pointer ?? '#');
  // In a mapping, the node itself is the reference.
  return { node, reference: isObject(node) ? (node['$ref'] ?? node['externalValue']) : node };
}

function findTarget(files: ContractFiles['files'], referring: string, reference: string): unknown {
  return findPart(files.get(toReferencedPath(referring, reference))?.parsed, toFragment(reference));
}

/**
 * Replaces references that lead to a remote reference by that remote reference, since in a bundle they would lead nowhere or
 * to another part. In a mapping, remote references are moved to the end, because Redocly ignores the entries after them.
 */
export function replaceChained({ files, remote }: Pick<ContractFiles, 'files' | 'remote'>): void {
  let isChanged = false;
  for (const [path, file] of files) {
    for (const { reference, keys } of [...findReferences(file.parsed)]) {
      const target = isRemote(reference) ? undefined : findTarget(files, path, reference);
      const chained = isObject(target) ? remote.find((candidate) => candidate.reference === target['$ref']) : undefined;
      if (!chained && !isRemote(reference)) continue;
      const key = String(keys.at(-1));
      const parent = findPart(file.parsed, pointerTo('#', ...keys.slice(0, -1))) as Record<string, unknown>;
      if (keys.at(-2) === 'mapping') Reflect.deleteProperty(parent, key);
      parent[key] = chained?.reference ?? reference;
      isChanged ||= chained !== undefined;
    }
  }
  // References that lead to a changed reference also lead to the remote one.
  if (isChanged) replaceChained({ files, remote });
}
