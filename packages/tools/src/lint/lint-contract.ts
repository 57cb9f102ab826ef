// Runs Redocly's linter on a contract.
import { dirname, join, resolve } from 'node:path';
import {
  type Config,
  createConfig,
  findConfig,
  lintDocument,
  loadConfig,
  makeDocumentFromString,
} from '@redocly/openapi-core';
import {
  type Document,
  type DocumentError,
  type WrittenSchema as Schema,
  type FindUsers,
  createFindUsers,
  createToPointer,
  findDialect,
  findReferences,
  findSchemas,
  indentBrackets,
  isOpenApi30,
  localizeReferences,
} from '@contract-kit/contract';
import type { Bundle } from '../bundle/bundle-contract';
import { CHAINED, toPlace, FilesResolver, describeProblem, type LintProblem } from '../bundle/contract-files';
import { type Diagnostic, pointerTo, splitPointer } from '../diagnostics/diagnostic';
import { OPENAPI } from './field-rules';
import { createStandIns } from './inherited-names';

// A document that breaks one of these is not valid OpenAPI; one with a warning can be served. All other rules are style.
const STRUCTURE_RULES = { struct: 'error', 'no-unresolved-refs': 'error', 'openapi/fields': 'warn' } as const;

/** A diagnostic from the linter. `pointer` is the file and JSON pointer of its subject, such as openapi.yaml#/info. */
export interface LintDiagnostic extends Diagnostic {
  readonly pointer: string;
}

/** An error in the structure of a contract. */
export interface StructureError extends LintDiagnostic {
  /** The operations that need the wrong part, none for a warning; undefined if all need it. */
  readonly users: readonly string[] | undefined;
}

/** Finds the errors that make a document invalid OpenAPI: in its structure, and references that are remote or lead nowhere. */
export async function findStructureErrors(bundle: Bundle, document: Document): Promise<StructureError[]> {
  const config = await createConfig(
    { rules: STRUCTURE_RULES, resolve: { doNotResolveExamples: true } },
    { plugins: [OPENAPI] },
  );
  const findUsers = createFindUsersSafely(document);
  const errors = await runLinter(bundle, config, createStructureFilter(document), findUsers);
  const references = [...findReferences(document)];
  const remote = bundle.remote.map(({ reference, origin: { file, pointer }, ...diagnostic }) => {
    const occurrences = references.filter((candidate) => candidate.reference === reference);
    const users = occurrences.map(({ keys }) => findUsers(pointerTo('#', ...keys)));
    const allUsers = users.includes(undefined) ? undefined : users.flatMap((names) => names ?? []);
    return { ...diagnostic, pointer: file.name + pointer, users: allUsers };
  });
  return [...remote, ...errors];
}

/** Lints with the redocly.yaml next to the contract or in .config/, or else with Redocly's recommended rules. */
export async function findLintAdvice(bundle: Bundle): Promise<LintDiagnostic[]> {
  const folder = dirname(bundle.file);
  const configPath = findConfig(folder) ?? findConfig(join(folder, '.config'));
  const config = await (configPath === undefined
    ? createConfig({ extends: ['recommended'] })
    : loadConfig({ configPath }));
  config.plugins.push(OPENAPI);
  return runLinter(bundle, config, isAdvice);
}

// Structure errors are not advice, since findStructureErrors reports them. Webhooks and callbacks concern other servers.
function isAdvice({ ruleId, message, location: [place] }: LintProblem): boolean {
  // It reads no discriminator without a tag, and no name of a security scheme that is a URI (OpenAPI 3.2).
  const lagsBehind = /^Example validation errored: discriminator|^There is no `#\//.test(message);
  const isElsewhere = /^#\/webhooks\/|\/callbacks\//.test(place?.pointer ?? '');
  return !Object.hasOwn(STRUCTURE_RULES, ruleId) && !isElsewhere && !lagsBehind;
}

async function runLinter(
  { source, file, files, trace }: Bundle,
  config: Config,
  isWanted: (problem: LintProblem) => boolean,
  findUsers: FindUsers = () => [],
): Promise<StructureError[]> {
  const written = makeDocumentFromString(indentBrackets(source).text, resolve(file));
  const { hide, show } = createStandIns([written.parsed]);
  const document = { ...written, parsed: hide(localizeReferences(written.parsed)) };
  const lint = (): Promise<LintProblem[]> =>
    lintDocument({ document, config, externalRefResolver: new FilesResolver(files) });
  const problems = await lint().catch((error: unknown) => lintByRule(config, document, lint, error as Error));
  const shown = problems.map((problem) => ({
    ...problem,
    message: show(problem.message),
    location: problem.location.map((place) => ({ ...place, pointer: show(place.pointer ?? '#') })),
  }));
  const errors = shown.filter(isWanted).map((problem) => {
    const { ruleId, location, severity } = problem;
    const [place] = location;
    const pointer = place?.pointer ?? '#';
    const message = describeProblem(problem, written.parsed);
    const [, missing] = /^The field `(\w+)` must be present/.exec(message) ?? [];
    const origin = trace(pointer);
    return {
      message,
      // Diagnostics with the same cause are printed as one line. The messages of a style rule differ only in names;
      // those of a structure rule have different causes.
      cause: Object.hasOwn(STRUCTURE_RULES, ruleId) ? message : ruleId,
      pointer: origin.file.name + origin.pointer,
      users: severity === 'warn' ? [] : findUsers([pointer, ...(missing === undefined ? [] : [missing])].join('/')),
      locate: () => toPlace(origin.file, origin.pointer, place?.reportOnKey),
    };
  });
  const reported = errors.filter(({ message }) => message !== CHAINED);
  // Redocly reports a reference in a mapping twice.
  return [...new Map(reported.map((error) => [`${error.pointer} ${error.message}`, error])).values()];
}

/** Runs each rule alone, since one of them threw an error, which becomes a problem of the whole contract. */
async function lintByRule(
  { rules }: Config,
  { parsed, source }: Pick<Parameters<typeof lintDocument>[0]['document'], 'parsed' | 'source'>,
  lint: () => Promise<LintProblem[]>,
  error: Error,
): Promise<LintProblem[]> {
  const version = `oas3_${(parsed as Document).openapi.charAt(2)}` as 'oas3_0';
  const all = Object.entries(rules[version]).filter(([, setting]) => setting !== 'off');
  const problems: LintProblem[] = [];
  for (const [ruleId, setting] of all) {
    rules[version] = { [ruleId]: setting };
    const message = `the rule ${ruleId} cannot be run: ${error.message}`;
    const location = [{ source, pointer: '#/', reportOnKey: false }];
    const failure: LintProblem = { ruleId, severity: 'warn', message, location, suggest: [] };
    problems.push(...(await lint().catch(() => [failure])));
  }
  return problems;
}

/** Creates a function that converts errors at a node of the document to diagnostics with a file, line and column. */
export function createToDiagnostic(
  { trace }: Pick<Bundle, 'trace'>,
  documents: readonly object[],
): (error: Pick<DocumentError, 'node' | 'key' | 'message'>) => LintDiagnostic {
  const findPointer = createToPointer(documents);
  return (error) => {
    const { message, key } = error;
    const { file, pointer } = trace(findPointer(error));
    return {
      message,
      pointer: file.name + pointer,
      // An error with a key is at that key; otherwise, it is at the node.
      locate: () => toPlace(file, pointer, key !== undefined),
    };
  };
}

/**
 * Creates a filter that keeps the problems found by Redocly in the structure or the references of a contract if they are
 * also problems in OpenAPI.
 *
 * Redocly checks the structure of some extensions, and OpenAPI does not. A version may be a number. A mapping may have the
 * name of a schema, which Redocly takes for a file. In 3.1, a schema may be true or false, examples and unknown keywords
 * are annotations, and exclusive limits may be booleans in the dialect of draft-04.
 */
function createStructureFilter(document: Document): (problem: LintProblem) => boolean {
  let schemas: ReadonlySet<object> | undefined;
  return ({ ruleId, message, location: [place] }) => {
    const pointer = place?.pointer ?? '';
    const isStructureProblem = ruleId === 'struct';
    if (isStructureProblem && (pointer.includes('/x-') || pointer === '#/info/version')) return false;
    const parentKeys = splitPointer(pointer);
    const key = parentKeys.pop() ?? '';
    const parent = parentKeys.reduce<unknown>(readMember, document);
    const value = readMember(parent, key);
    if (!isStructureProblem) {
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

  // Finds the schemas only when they are needed, since that takes time and most contracts have no problems.
  function isSchema(node: unknown): node is Schema {
    schemas ??= findSchemas(document);
    return schemas.has(node as object);
  }
}

// A document with errors may have any value in any place.
function readMember(node: unknown, key: unknown): unknown {
  const name = String(key);
  return typeof node === 'object' && node !== null && Object.hasOwn(node, name)
    ? (node as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function createFindUsersSafely(document: Document): FindUsers {
  const findUsers = createFindUsers(document);
  return (pointer) => {
    try {
      return findUsers(pointer);
    } catch {
      return undefined;
    }
  };
}
