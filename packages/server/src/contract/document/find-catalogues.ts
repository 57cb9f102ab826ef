// Finds the error catalogue of a contract.
const KEY = 'x-error-catalogue';

/** An object that has an error catalogue. */
export interface CatalogueOwner {
  readonly [KEY]?: unknown;
}

/**
 * Finds each `x-error-catalogue` of a document, wherever it is; a contract should have one at most.
 *
 * @returns the objects that have one
 * @example const [owner] = findCatalogues(document); // owner?.['x-error-catalogue']
 */
export function* findCatalogues(node: unknown): Generator<CatalogueOwner> {
  if (typeof node !== 'object' || node === null) return;
  if (KEY in node) yield node;
  for (const [key, value] of Object.entries(node)) if (key !== KEY) yield* findCatalogues(value);
}
