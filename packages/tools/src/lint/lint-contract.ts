// Runs the linter of Redocly on a contract.
import { dirname, join, resolve } from 'node:path';
import {
  type Config,
  type Source,
  createConfig,
  findConfig,
  lintDocument,
  loadConfig,
  makeDocumentFromString,
} from '@redocly/openapi-core';
import {
  type Document,
  type Mistake,
  type WrittenSchema as Schema,
  type FindUsers,
  METHODS,
  createFindUsers,
  createPointers,
  findDialect,
  findSchemas,
  indentBrackets,
  isOpenApi30,
} from '@contract-kit/contract';
import type { Bundle } from '../bundle/bundle-contract';
import {
  CHAINED,
  toPlace,
  FilesResolver,
  describeProblem,
  type LintProblem,
  locateProblem,
} from '../bundle/contract-files';
import { type Diagnostic, pointerTo, splitPointer } from '../diagnostics/diagnostic';
import { createStandIns, type StandIns } from './inherited-names';

// A document that breaks one of these is no OpenAPI. All other rules are style.
const STRUCTURE_RULES = { struct: 'error', 'no-unresolved-refs': 'error' } as const;

/** A diagnostic of the linter. `pointer` is the file and JSON pointer of what it is about, such as openapi.yaml#/info. */
export interface LintDiagnostic extends Diagnostic {
  readonly pointer: string;
}

/** An error in the structure of a contract. */
export interface StructureError extends LintDiagnostic {
  /** The operations that need what it is about; undefined for all of them. */
  readonly users: readonly string[] | undefined;
}

/** Finds what makes a document no OpenAPI: a structure that OpenAPI does not have, a reference to nowhere, a remote one. */
export async function findStructureErrors(bundle: Bundle, document: Document): Promise<StructureError[]> {
  const config = await createConfig({ rules: STRUCTURE_RULES, resolve: { doNotResolveExamples: true } });
  const findUsers = createFindUsersOfFiles(bundle, document);
  const found = await runLinter(bundle, config, createStructureFilter(bundle.file, document), findUsers);
  const remote = bundle.remote.map(({ message, locate, origins }) => {
    const [first = ''] = origins.map(({ file, pointer }) => file.name + pointer);
    const users = origins.map(({ file, pointer }) => findUsers(file.name, pointer));
    return { message, locate, pointer: first, users: joinUsers(users) };
  });
  return [...remote, ...found];
}

function joinUsers(users: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  return users.includes(undefined) ? undefined : users.flatMap((some) => some ?? []);
}

/** Lints by the redocly.yaml beside the contract or in its .config/, or else by the rules that Redocly recommends. */
export async function findLintAdvice(bundle: Bundle): Promise<LintDiagnostic[]> {
  const folder = dirname(bundle.file);
  const configPath = findConfig(folder) ?? findConfig(join(folder, '.config'));
  const config = configPath === undefined ? createConfig({ extends: ['recommended'] }) : loadConfig({ configPath });
  return runLinter(bundle, await config, isAdvice);
}

// Errors in the structure are not advice: findStructureErrors reports them. Nor is what concerns another server,
// which receives webhooks and callbacks.
function isAdvice({ ruleId, location: [place] }: LintProblem): boolean {
  return !Object.hasOwn(STRUCTURE_RULES, ruleId) && !/^#\/webhooks\/|\/callbacks\//.test(place?.pointer ?? '');
}

// Gives Redocly the other files with stand-ins, too.
class StandInsResolver extends FilesResolver {
  readonly #standIns: StandIns;

  constructor(files: Bundle['files'], standIns: StandIns) {
    super(files);
    this.#standIns = standIns;
  }

  override resolveExternalRef(base: string | null, reference: string): string {
    return super.resolveExternalRef(base, this.#standIns.show(reference));
  }

  override parseDocument(source: Source, isRoot?: boolean): ReturnType<FilesResolver['parseDocument']> {
    const document = super.parseDocument(source, isRoot);
    return { ...document, parsed: this.#standIns.hide(document.parsed) };
  }
}

async function runLinter(
  { file, files }: Bundle,
  config: Config,
  isWanted: (problem: LintProblem) => boolean,
  findUsers: (file: string, pointer: string) => readonly string[] | undefined = () => [],
): Promise<StructureError[]> {
  const absoluteRef = resolve(file);
  const standIns = createStandIns([...files.values()].map(({ parsed }) => parsed));
  const written = makeDocumentFromString(indentBrackets(String(files.get(absoluteRef)?.text)).text, absoluteRef);
  const document = { ...written, parsed: standIns.hide(written.parsed) };
  const externalRefResolver = new StandInsResolver(files, standIns);
  // An error that Redocly throws, such as for a wrong rule, gets the contract as its location.
  const problems = await lintDocument({ document, config, externalRefResolver }).catch((error: unknown) => {
    throw new Error(`${file}:1:1 ${standIns.show((error as Error).message)}`, { cause: error });
  });
  const shown = problems.map((problem) => ({
    ...problem,
    message: standIns.show(problem.message),
    location: problem.location.map((place) =>
      place.pointer === undefined ? place : { ...place, pointer: standIns.show(place.pointer) },
    ),
  }));
  const found = shown.filter(isWanted).map((problem) => {
    const { ruleId, location } = problem;
    const [place] = location;
    const message = describeProblem(problem, files);
    const [, missing] = /^The field `(\w+)` must be present/.exec(message) ?? [];
    const pointer = [place?.pointer ?? '#', ...(missing === undefined ? [] : [missing])].join('/');
    const name = files.get(String(place?.source.absoluteRef))?.name ?? file;
    return {
      message,
      // Diagnostics of one cause are printed as one line. The messages of a rule differ only in names, but those of a
      // structure rule have different causes.
      cause: Object.hasOwn(STRUCTURE_RULES, ruleId) ? message : ruleId,
      pointer: name + (place?.pointer ?? '#'),
      users: findUsers(name, pointer),
      locate: () => locateProblem(problem, files, file),
    };
  });
  const told = found.filter(({ message }) => message !== CHAINED);
  // Redocly reports a reference of a mapping twice.
  return [...new Map(told.map((error) => [`${error.pointer} ${error.message}`, error])).values()];
}

/** Creates a function that converts errors, which have a node of the document, to diagnostics, which have its place. */
export function createToDiagnostic(
  { trace }: Bundle,
  documents: readonly object[],
): (error: Pick<Mistake, 'node' | 'key' | 'message'>) => LintDiagnostic {
  const findPointer = createPointers(documents);
  return (error) => {
    const { message, key } = error;
    const { file, pointer } = trace(findPointer(error));
    return {
      message,
      pointer: file.name + pointer,
      // An error with a key is that key, and otherwise the whole node.
      locate: () => toPlace(file, pointer, key === undefined ? 'value' : 'key'),
    };
  };
}

/**
 * Creates a filter for the problems that Redocly finds in the structure or the references of a contract. It keeps those
 * that are problems by OpenAPI, too.
 *
 * Redocly gives some extensions a structure, and OpenAPI none. A version may be a number. A mapping may have the name
 * of a schema, which Redocly takes for a file. In 3.1, a schema may be true or false, examples and unknown keywords are
 * annotations, and exclusive limits may be booleans in the dialect of draft-04.
 */
function createStructureFilter(file: string, document: Document): (problem: LintProblem) => boolean {
  let schemas: ReadonlySet<object> | undefined;
  return ({ ruleId, message, location: [place] }) => {
    const pointer = place?.pointer ?? '';
    const isOfStructure = ruleId === 'struct';
    if (isOfStructure && (pointer.includes('/x-') || pointer === '#/info/version')) return false;
    // The document cannot tell what is in the other files.
    if (place?.source.absoluteRef !== resolve(file)) return true;
    const parentKeys = splitPointer(pointer);
    const key = parentKeys.pop() ?? '';
    const parent = parentKeys.reduce<unknown>(readMember, document);
    const value = readMember(parent, key);
    if (!isOfStructure) {
      const schemasByName = readMember(readMember(document, 'components'), 'schemas');
      const isNameInMapping = parentKeys.at(-1) === 'mapping' && readMember(schemasByName, value) !== undefined;
      return !isNameInMapping;
    }
    if (isOpenApi30(String(readMember(document, 'openapi')))) return true;
    const isBooleanSchema = message.endsWith('`Schema` (object) but got `boolean`');
    if (isBooleanSchema) return false;
    if (!isSchema(parent)) return true;
    const isUnknownKeyword = message.endsWith('is not expected here.');
    const isBooleanLimit = typeof value === 'boolean' && (key === 'exclusiveMinimum' || key === 'exclusiveMaximum');
    const isAllowedLimit = isBooleanLimit && findDialect(document, parent)?.hasFlags === true;
    return !(isUnknownKeyword || key === 'examples' || isAllowedLimit);
  };

  // Finds the schemas of the document only when they are needed: it takes time, and most contracts have no problems.
  function isSchema(node: unknown): node is Schema {
    schemas ??= findSchemasSafely(document);
    return schemas.has(node as object);
  }
}

// A document with errors may have any value anywhere.
function readMember(node: unknown, key: unknown): unknown {
  const name = String(key);
  return typeof node === 'object' && node !== null && Object.hasOwn(node, name)
    ? (node as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Creates a function that finds the operations that need a part of a file. The bundle has what they need of the others. */
function createFindUsersOfFiles({ file, files, trace }: Bundle, document: Document): typeof findUsersOf {
  const findUsers = createFindUsersSafely(document);
  let places: Map<string, string[]> | undefined;
  return findUsersOf;

  function findUsersOf(name: string, pointer: string): readonly string[] | undefined {
    if (files.size === 1 || name === file) return findUsers(pointer);
    places ??= listPlaces();
    // The innermost object around it that the bundle has.
    for (let end = pointer; end !== ''; end = end.slice(0, Math.max(0, end.lastIndexOf('/')))) {
      const users = places.get(name + end)?.map((place) => findUsers(place + pointer.slice(end.length)));
      if (users) return joinUsers(users);
    }
    return [];
  }

  // The pointers in the bundle, by where each object is written.
  function listPlaces(): Map<string, string[]> {
    const found = new Map<string, string[]>();
    const waiting: [node: unknown, pointer: string][] = [[document, '#']];
    for (const [node, pointer] of waiting) {
      if (typeof node !== 'object' || node === null) continue;
      const origin = trace(pointer);
      const key = origin.file.name + origin.pointer;
      found.set(key, [...(found.get(key) ?? []), pointer]);
      for (const [name, child] of Object.entries(node)) waiting.push([child, pointerTo(pointer, name)]);
    }
    return found;
  }
}

function createFindUsersSafely(document: Document): FindUsers {
  const findUsers = createFindUsers(document, METHODS);
  return (pointer) => {
    try {
      return findUsers(pointer);
    } catch {
      return undefined;
    }
  };
}

function findSchemasSafely(document: Document): ReadonlySet<object> {
  try {
    return findSchemas(document);
  } catch {
    return new Set();
  }
}
