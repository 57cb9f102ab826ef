// Analyses a contract, and finds everything that prevents serving it.
import {
  type Document,
  type NormalizedDocument,
  type Operation,
  createFindUsers,
  createToPointer,
  isPublic,
  parseYaml,
  readOperations,
} from '@contract-kit/contract';
import { createRenderer, findUndeclaredStatuses } from '@contract-kit/server/errors';
import { BUNDLE, type Bundle, bundleContract } from '../bundle/bundle-contract';
import { createToDiagnostic } from '../bundle/contract-files';
import type { Diagnostic } from '../diagnostics/diagnostic';

export interface Analysis {
  readonly bundle: Bundle;
  /** The text that is served: the bundle, or the bundle without some operations. */
  readonly source: string;
  /** The document as written, without malformed parts. */
  readonly written: Document;
  readonly document: NormalizedDocument;
  readonly operations: readonly Operation[];
  readonly errors: readonly Diagnostic[];
  /** Errors in parts that no operation needs, such as documentation, and in fields that have no effect. */
  readonly unneeded: readonly Diagnostic[];
  /** The operations, such as `GET /books`, that cannot be served because of the errors; undefined if all operations are affected. */
  readonly unserved: readonly string[] | undefined;
  /** The operations that were left out, if any, and the errors that caused this. */
  readonly omissions?: readonly string[];
  /** `omissions`, and the consequences of omissions in the contract, one line each, for people. */
  readonly notes: readonly string[];
}

/**
 * Collects the errors in a contract's operations.
 *
 * @param root the folder that must contain all files; by default the contract's own folder
 * @throws ContractError if the text is not YAML, or a reference to another file is dangling
 */
export function analyseContract(text: string, file: string, root?: string): Analysis {
  const bundle = bundleContract(text, file, root);
  const { source } = bundle;
  const parsed = parseYaml(source, bundle.files.size > 1 ? BUNDLE : file) as Document;
  const { resolved: written, document, operations, errors, unneeded } = readOperations(parsed);
  const toDiagnostic = createToDiagnostic(bundle.trace, [document, written]);
  const toPointer = createToPointer([document, written]);
  const findUsers = createFindUsers(parsed);
  const users = errors.map((error) =>
    error.users.size > 0 ? [...error.users] : findSafely(() => findUsers(toPointer(error))),
  );
  const statusNotes = errors.length === 0 ? noteUndeclaredStatuses(operations) : [];
  const accessNotes = [...notePublicOperations(operations), ...noteIgnoredCertificates(document, operations)];
  return {
    bundle,
    source,
    written,
    document,
    operations,
    errors: errors.map(toDiagnostic),
    unneeded: unneeded.map(toDiagnostic),
    unserved: users.includes(undefined) ? undefined : [...new Set(users.flatMap((names = []) => names))],
    notes: [...accessNotes, ...statusNotes, ...noteUncheckedBodies(operations), ...noteSplitSegments(operations)],
  };
}

// Returns undefined if the document is too malformed to find its operations, since an error may then affect all of them.
function findSafely(find: () => readonly string[] | undefined): readonly string[] | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

/** Returns a note about handler names that are not operationIds. */
export function noteDerivedNames(operations: readonly Operation[]): string[] {
  const derivedNames = operations.filter(({ id, object }) => object.operationId !== id);
  if (derivedNames.length === 0) return [];
  const list = derivedNames.map(({ id, method, path }) => `${method} ${path} is ${id}`).join(', ');
  return [
    `The operationId is missing, used twice or not a valid name in TypeScript, so these names were derived: ${list}`,
  ];
}

function notePublicOperations(operations: readonly Operation[]): string[] {
  const names = operations.filter(isPublic).map(({ id }) => id);
  if (names.length === 0) return [];
  const operationList = names.length === operations.length ? 'all operations' : names.join(', ');
  return [`Anyone can call these operations, because the contract requires no credentials: ${operationList}`];
}

// readOperations leaves out alternatives with client certificates (mutualTLS).
function noteIgnoredCertificates(document: NormalizedDocument, operations: readonly Operation[]): string[] {
  const affectedOperations = operations.filter(({ object, security }) => {
    const declared = object.security ?? document.security ?? [];
    return declared.length > security.length;
  });
  if (affectedOperations.length === 0) return [];
  return [
    `Client certificates are not accepted, because the service cannot see them: ${affectedOperations.map(({ id }) => id).join(', ')}`,
  ];
}

function noteUncheckedBodies(operations: readonly Operation[]): string[] {
  const media = operations.flatMap(({ body, replies }) =>
    [body, ...replies.values()].flatMap((declared) => [...(declared?.media.values() ?? [])]),
  );
  const types = new Set(media.filter(({ hasUnchecked }) => hasUnchecked).map(({ key }) => key));
  if (types.size === 0) return [];
  return [
    `Bodies of these media types are not checked; handlers get and return them as text or bytes: ${[...types].join(', ')}`,
  ];
}

function noteSplitSegments(operations: readonly Operation[]): string[] {
  const paths = new Set(operations.map(({ path }) => path).filter((path) => /\}[^/]+\{/.test(path)));
  if (paths.size === 0) return [];
  return [
    `Two parameters in a segment are split where the text between them is last, whatever their schemas allow, as a.b.json of {name}.{ext} is a.b and json: ${[...paths].join(', ')}`,
  ];
}

const MAX_NAMES = 3;

/** Returns a note about error statuses, such as 401, that the kit sends but operations do not declare. */
export function noteUndeclaredStatuses(operations: readonly Operation[]): string[] {
  const render = createRenderer({ contract: { operations } });
  const byStatuses = Map.groupBy(operations, (operation) => findUndeclaredStatuses(operation, render).join(', '));
  byStatuses.delete('');
  if (byStatuses.size === 0) return [];
  const lists = [...byStatuses].map(([statuses, affected]) => `${statuses} for ${listFirstNames(affected)}`);
  return [
    `The contract does not declare these error responses, so they are problem details (application/problem+json), or made by renderError: ${lists.join('; ')}`,
  ];
}

// Lists a few names: `getPet, listPets, addPet, 7 more`.
function listFirstNames(operations: readonly Operation[]): string {
  const names = operations.slice(0, MAX_NAMES).map(({ id }) => id);
  const remaining = operations.length - names.length;
  return [...names, ...(remaining > 0 ? [`${String(remaining)} more`] : [])].join(', ');
}
