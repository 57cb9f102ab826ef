// Examines a contract: everything that prevents serving it.
import { type Document, isPublic, type Operation, parseYaml, readOperations } from '@contract-kit/server/contract';
import { BUNDLE, type Bundle, bundleContract } from '../bundle/bundle-contract';
import { findMissingRows } from './catalogue-mistakes';
import { type ErrorCatalogue, readErrorCatalogue } from './error-catalogue';
import type { Finding } from './finding';
import { noteUndeclared } from './note-undeclared';
import { createToFinding, findStructureMistakes, type LintFinding } from './lint-contract';

/** A contract, and everything that prevents serving it. */
export interface Examination {
  /** One document, whose text is served. */
  readonly bundle: Bundle;
  /** As it is written. */
  readonly written: Document;
  /** With every schema in plain JSON Schema. The operations are made of it. */
  readonly document: Document;
  readonly operations: readonly Operation[];
  readonly catalogue: ErrorCatalogue;
  readonly mistakes: readonly Finding[];
  /** What follows from what the contract does not say, for people: one line each. */
  readonly notes: readonly string[];
}

/**
 * Reads a contract through every layer, and collects what is wrong in each of them.
 *
 * @param source the text of the contract
 * @param file its path, for the messages
 * @throws ContractError when the text is no YAML, or a reference to another file leads nowhere
 */
export async function examineContract(source: string, file: string): Promise<Examination> {
  const bundle = await bundleContract(source, file);
  const written = parseYaml(bundle.source, bundle.files.size > 1 ? BUNDLE : file) as Document;
  const structure = await findStructureMistakes(bundle, written);
  try {
    const { document, operations, mistakes: unsupported } = readOperations(written, structure.length > 0);
    const toFinding = createToFinding(bundle, document);
    const { catalogue, mistakes: wrongRows } = readErrorCatalogue(document);
    const refused = [...unsupported, ...wrongRows, ...findMissingRows(catalogue, operations)];
    const mistakes = [...structure, ...refused.map(toFinding).filter(createOutsideFilter(structure))];
    // A refusal can be judged only if its operation can be served.
    const undeclared = mistakes.length === 0 ? noteUndeclared(operations, catalogue) : [];
    const access = [...notePublicOperations(operations), ...noteIgnoredCertificates(document, operations)];
    const notes = [...noteDerivedNames(operations), ...access, ...undeclared, ...noteUncheckedBodies(operations)];
    return { bundle, written, document, operations, catalogue, mistakes, notes };
  } catch (error) {
    // A document that is no object, or has no paths that could be read.
    if (structure.length === 0) throw error;
    return { bundle, written, document: written, operations: [], catalogue: {}, mistakes: structure, notes: [] };
  }
}

/** Keeps mistakes outside of all parts whose structure is wrong: below, they only follow from it. */
function createOutsideFilter(structure: readonly LintFinding[]): (mistake: LintFinding) => boolean {
  return ({ pointer }) =>
    !structure.some((known) => known.pointer === pointer || pointer.startsWith(`${known.pointer}/`));
}

function noteDerivedNames(operations: readonly Operation[]): string[] {
  const named = operations.filter(({ id, object }) => object.operationId !== id);
  if (named.length === 0) return [];
  const list = named.map(({ id, method, path }) => `${method} ${path} is ${id}`).join(', ');
  return [`Named by method and path, since no operationId of its own can name the handler: ${list}`];
}

function notePublicOperations(operations: readonly Operation[]): string[] {
  const names = operations.filter(isPublic).map(({ id }) => id);
  if (names.length === 0) return [];
  const which = names.length === operations.length ? 'all operations' : names.join(', ');
  return [`Public, since the contract asks for no credentials: ${which}`];
}

// readOperations leaves out alternatives with client certificates (mutualTLS).
function noteIgnoredCertificates({ security: all }: Document, operations: readonly Operation[]): string[] {
  const left = operations.filter(({ object, security }) => (object.security ?? all ?? []).length > security.length);
  if (left.length === 0) return [];
  return [`Not by client certificates, which the service does not see: ${left.map(({ id }) => id).join(', ')}`];
}

function noteUncheckedBodies(operations: readonly Operation[]): string[] {
  const all = operations.flatMap(({ body, replies }) =>
    [body, ...replies.values()].flatMap((one) => [...(one?.media.values() ?? [])]),
  );
  const types = new Set(all.filter(({ hasUnchecked }) => hasUnchecked).map(({ key }) => key));
  if (types.size === 0) return [];
  return [`Handed over as text or bytes, their schemas not checked: ${[...types].join(', ')}`];
}
