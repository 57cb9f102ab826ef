// Finds the error catalogue of a contract.
const CATALOGUE_KEY = 'x-error-catalogue';

export interface CatalogueOwner {
  readonly [CATALOGUE_KEY]?: unknown;
}

/**
 * Finds each object of a document, at any depth, that has an `x-error-catalogue`; a contract should have one at most.
 *
 * @example const [owner] = findCatalogues(document); // owner?.['x-error-catalogue']
 */
export function* findCatalogues(node: unknown): Generator<CatalogueOwner> {
  if (typeof node !== 'object' || node === null) return;
  if (CATALOGUE_KEY in node) yield node;
  // What a catalogue contains is no part of the document that could have another one.
  for (const [key, child] of Object.entries(node)) if (key !== CATALOGUE_KEY) yield* findCatalogues(child);
}
