// Analyses a contract: everything that prevents serving it.
import {
  type Document,
  type NormalizedDocument,
  type Operation,
  METHODS,
  createFindUsers,
  createPointers,
  isPublic,
  parseYaml,
  readOperations,
  REMOTE_MESSAGE,
} from '@contract-kit/contract';
import { createRenderer, findUndeclaredStatuses } from '@contract-kit/server/errors';
import { BUNDLE, type Bundle, bundleContract } from '../bundle/bundle-contract';
import type { Diagnostic } from '../diagnostics/diagnostic';
import { type ErrorCatalogue, createMissingRows, findMissingRows, readErrorCatalogue } from './error-catalogue';
import { type LintDiagnostic, type StructureError, createToDiagnostic, findStructureErrors } from './lint-contract';

export interface Analysis {
  /** The contract as one document. */
  readonly bundle: Bundle;
  /** The text that is served: that of the bundle, unless operations are left out. */
  readonly source: string;
  /** The document as it is written. */
  readonly written: Document;
  /** The normalized document, with plain JSON Schema only; the operations refer to it. */
  readonly document: NormalizedDocument;
  readonly operations: readonly Operation[];
  readonly catalogue: ErrorCatalogue;
  readonly errors: readonly Diagnostic[];
  /** Errors in what no operation needs, such as documentation. */
  readonly unneeded: readonly Diagnostic[];
  /** The operations that cannot be served for the errors, such as `GET /books`; undefined if none can. */
  readonly unserved: readonly string[] | undefined;
  /** The consequences of what the contract leaves out, for people: one line each. */
  readonly notes: readonly string[];
}

/**
 * Collects what is wrong in the structure, the operations and the error catalogue of a contract.
 *
 * @param root the folder that all files are in: by default that of the contract
 * @throws ContractError when the text is no YAML, or a reference to another file leads nowhere
 */
export async function analyseContract(text: string, file: string, root?: string): Promise<Analysis> {
  const bundle = await bundleContract(text, file, root);
  const { source } = bundle;
  const written = parseYaml(source, bundle.files.size > 1 ? BUNDLE : file) as Document;
  const structureErrors = await findStructureErrors(bundle, written);
  const isNeeded = ({ users }: StructureError): boolean => users?.length !== 0;
  const isBroken = structureErrors.length > 0;
  try {
    const { document, operations, mistakes: operationErrors, unneeded } = readOperations(written, isBroken);
    const toDiagnostic = createToDiagnostic(bundle, [document, written]);
    const { catalogue, errors: rowErrors } = readErrorCatalogue(document);
    const catalogueErrors = [...rowErrors, ...findMissingRows(catalogue, operations)];
    const isOutsideOfStructure = createOutsideFilter(structureErrors.filter(isNeeded));
    // The structure has the remote references already, with those that lead to them.
    const isOutside = (error: LintDiagnostic): boolean =>
      isOutsideOfStructure(error) && !error.message.endsWith(REMOTE_MESSAGE);
    const toPointer = createPointers([document, written]);
    const findUsers = createFindUsers(written, METHODS);
    const fromOperations = operationErrors.map((error) => ({
      ...toDiagnostic(error),
      users: findUsers(toPointer(error)),
    }));
    const needed = [...structureErrors.filter(isNeeded), ...fromOperations.filter(isOutside)];
    const errors = [...needed, ...catalogueErrors.map(toDiagnostic).filter(isOutside)];
    const isTotal = catalogueErrors.length > 0 || needed.some(({ users }) => !users);
    const unserved = isTotal ? undefined : [...new Set(needed.flatMap(({ users = [] }) => users))];
    const others = [
      ...structureErrors.filter((error) => !isNeeded(error)),
      ...unneeded.map(toDiagnostic).filter(isOutside),
    ];
    // Which errors an operation does not declare is known only if it can be served.
    const undeclared = errors.length === 0 ? noteUndeclaredStatuses(operations, catalogue) : [];
    const access = [...notePublicOperations(operations), ...noteIgnoredCertificates(document, operations)];
    const notes = [...noteDerivedNames(operations), ...access, ...undeclared, ...noteUncheckedBodies(operations)];
    return { bundle, source, written, document, operations, catalogue, errors, unneeded: others, unserved, notes };
  } catch (error) {
    // With a wrong structure, such as a document that is no object, nothing else may be readable.
    if (!isBroken) throw error;
    const errors = structureErrors;
    const document = written as unknown as NormalizedDocument;
    const unserved = undefined;
    return {
      bundle,
      source,
      written,
      document,
      operations: [],
      catalogue: {},
      errors,
      unneeded: [],
      unserved,
      notes: [],
    };
  }
}

// Drops errors in all parts whose structure is wrong: they only follow from it.
function createOutsideFilter(structureErrors: readonly LintDiagnostic[]): (error: LintDiagnostic) => boolean {
  return ({ pointer }) =>
    !structureErrors.some((wrong) => wrong.pointer === pointer || pointer.startsWith(`${wrong.pointer}/`));
}

function noteDerivedNames(operations: readonly Operation[]): string[] {
  const derived = operations.filter(({ id, object }) => object.operationId !== id);
  if (derived.length === 0) return [];
  const list = derived.map(({ id, method, path }) => `${method} ${path} is ${id}`).join(', ');
  return [
    `Not named by an operationId as it stands, since it is missing, no name in TypeScript, or another operation's: ${list}`,
  ];
}

function notePublicOperations(operations: readonly Operation[]): string[] {
  const names = operations.filter(isPublic).map(({ id }) => id);
  if (names.length === 0) return [];
  const operationList = names.length === operations.length ? 'all operations' : names.join(', ');
  return [`Public, since the contract asks for no credentials: ${operationList}`];
}

// readOperations leaves alternatives with client certificates (mutualTLS) out of the security.
function noteIgnoredCertificates(document: NormalizedDocument, operations: readonly Operation[]): string[] {
  const affected = operations.filter(({ object, security }) => {
    const declared = object.security ?? document.security ?? [];
    return declared.length > security.length;
  });
  if (affected.length === 0) return [];
  return [`Not by client certificates, which the service does not see: ${affected.map(({ id }) => id).join(', ')}`];
}

function noteUncheckedBodies(operations: readonly Operation[]): string[] {
  const media = operations.flatMap(({ body, replies }) =>
    [body, ...replies.values()].flatMap((declared) => [...(declared?.media.values() ?? [])]),
  );
  const types = new Set(media.filter(({ hasUnchecked }) => hasUnchecked).map(({ key }) => key));
  if (types.size === 0) return [];
  return [`Handed over as text or bytes, their schemas not checked: ${[...types].join(', ')}`];
}

const MAX_NAMES = 3;

/** Notes statuses, such as 401, that the kit (the framework) answers with and operations do not declare. */
export function noteUndeclaredStatuses(operations: readonly Operation[], catalogue: ErrorCatalogue): string[] {
  const hasCatalogue = Object.keys(catalogue).length > 0;
  // Rows that the catalogue lacks are reported elsewhere. The renderer, which makes the replies, needs all of them.
  const errors = hasCatalogue ? { ...createMissingRows(catalogue, operations), ...catalogue } : {};
  const render = createRenderer({ contract: { operations }, errors });
  const byStatuses = Map.groupBy(operations, (operation) => findUndeclaredStatuses(operation, render).join(', '));
  // Operations that declare all statuses.
  byStatuses.delete('');
  if (byStatuses.size === 0) return [];
  const form = hasCatalogue ? 'errors of the catalogue' : 'problem details (application/problem+json)';
  const lists = [...byStatuses].map(([statuses, affected]) => `${statuses} of ${listFirstNames(affected)}`);
  return [`Refused with ${form}, or what renderError makes, since no reply is declared for them: ${lists.join('; ')}`];
}

/** Lists the names of the first operations, such as `getPet, listPets, addPet, 7 more`. */
function listFirstNames(operations: readonly Operation[]): string {
  const names = operations.slice(0, MAX_NAMES).map(({ id }) => id);
  const others = operations.length - names.length;
  return [...names, ...(others > 0 ? [`${String(others)} more`] : [])].join(', ');
}
