// Resolves references within a contract.
import type { Json, JsonObject } from '../wire/json';
import { resolvePointer } from './pointer';

export const COMPONENT_SCHEMAS = '#/components/schemas/';

/** The target of a reference such as `#/components/schemas/Book`; undefined when it is missing or in another file. */
export function findReferenced(root: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  try {
    return resolvePointer(root, reference);
  } catch {
    return undefined;
  }
}
