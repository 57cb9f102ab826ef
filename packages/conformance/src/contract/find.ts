// Resolves references within a contract.
import type { Json, JsonObject } from '../wire/json';
import { resolvePointer } from './pointer';

export const SCHEMAS = '#/components/schemas/';

/** The target of a reference; undefined when it does not exist, or is in another file. */
export function findReferenced(root: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  try {
    return resolvePointer(root, reference);
  } catch {
    return undefined;
  }
}
