// Follows references within a contract.
import type { Json, JsonObject } from '../wire/json';
import { resolvePointer } from './pointer';

export const SCHEMAS = '#/components/schemas/';

/** What a reference leads to; undefined where it leads nowhere, or out of the contract. */
export function findReferenced(root: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  try {
    return resolvePointer(root, reference);
  } catch {
    return undefined;
  }
}
