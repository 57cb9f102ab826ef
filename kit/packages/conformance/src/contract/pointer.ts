// JSON pointers into a contract, such as `#/paths/~1books/get`.
import { isJsonObject, type Json, type JsonObject } from '../wire/json';
import { SkippedError } from './skipped';

/** Turns `'#/paths', '/books', 'get'` into `#/paths/~1books/get` (RFC 6901 section 6). */
export function extendPointer(pointer: string, ...keys: readonly (string | number)[]): string {
  return [pointer, ...keys.map((key) => escapeKey(String(key).replaceAll('%', '%25')))].join('/');
}

/** Escapes a key for a JSON pointer (RFC 6901 section 3). */
export function escapeKey(key: string | number): string {
  return String(key).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** @throws SkippedError if there is no value at the pointer */
export function resolvePointer(root: Json, pointer: string): Json {
  const segments = pointer.split('/').slice(1);
  return segments.reduce<Json>((value, segment) => {
    const key = unescapeKey(segment);
    const child =
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Readonly<Record<string, Json>>)[key]
        : undefined;
    if (child === undefined) throw new SkippedError('references to values that do not exist', pointer);
    return child;
  }, root);
}

/** Decodes a pointer segment. Malformed percent-encoding stays as it is. */
export function unescapeKey(segment: string): string {
  let decoded = segment;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    // Keep the malformed percent-encoding.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Returns `PUT /books/{id} requestBody` for `#/paths/~1books~1{id}/put/requestBody`. */
export function describePointer(pointer: string): string {
  const [root, path, method, ...rest] = pointer.split('/').slice(1).map(unescapeKey);
  return root === 'paths' && method !== undefined ? [method.toUpperCase(), path, ...rest].join(' ') : pointer;
}

export const COMPONENT_SCHEMAS = '#/components/schemas/';

/** Returns undefined if the target is missing or in another file. */
export function findReferenced(root: Json, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  try {
    return resolvePointer(root, reference);
  } catch {
    return undefined;
  }
}

const IN_PLACE_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];

/** Finds all schemas for the same value: the given ones, their reference targets, and subschemas under the keywords. */
export function sameValueSchemas(
  root: JsonObject,
  schemas: readonly (Json | undefined)[],
  keywords: readonly string[] = IN_PLACE_KEYWORDS,
): readonly JsonObject[] {
  const reachableSchemas = new Set(schemas.filter(isJsonObject));
  // The set grows during the loop.
  for (const schema of reachableSchemas) {
    const { $ref } = schema;
    const target = typeof $ref === 'string' ? findReferenced(root, $ref) : undefined;
    const subschemas = keywords.flatMap((keyword) => {
      const rule = schema[keyword];
      const isSchema = isJsonObject(rule) && keyword !== 'dependentSchemas';
      return isSchema || !rule ? rule : Object.values(rule as JsonObject);
    });
    for (const next of [target, ...subschemas]) if (isJsonObject(next)) reachableSchemas.add(next);
  }
  return [...reachableSchemas];
}
