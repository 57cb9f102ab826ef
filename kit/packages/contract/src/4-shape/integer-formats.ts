// Defines the integer formats, and finds the schemas that allow int64s.
import { resolveReference, type NormalizedDocument } from '../2-resolve/document';
import { someSchemaBelow } from '../2-resolve/find-schemas';
import type { NormalizedSchema } from '../2-resolve/schema';

/**
 * The ranges of the integer formats (OpenAPI Format Registry).
 *
 * @example INTEGER_RANGES.uint8.maximum // 255n
 */
export const INTEGER_RANGES = {
  int8: { minimum: -(2n ** 7n), maximum: 2n ** 7n - 1n },
  int16: { minimum: -(2n ** 15n), maximum: 2n ** 15n - 1n },
  int32: { minimum: -(2n ** 31n), maximum: 2n ** 31n - 1n },
  int64: { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n },
  uint8: { minimum: 0n, maximum: 2n ** 8n - 1n },
  uint16: { minimum: 0n, maximum: 2n ** 16n - 1n },
  uint32: { minimum: 0n, maximum: 2n ** 32n - 1n },
  uint64: { minimum: 0n, maximum: 2n ** 64n - 1n },
} as const;

export type IntegerFormat = keyof typeof INTEGER_RANGES;

export type Int64Format = 'int64' | 'uint64';

/** Whether a format has integers that a double would round. The kit calls all of them int64s. @example isInt64Format('uint64') // true */
export function isInt64Format(format: string | undefined): format is Int64Format {
  return format === 'int64' || format === 'uint64';
}

/** Whether a schema declares an int64. A schema that allows only strings does not, even with the format int64. */
export function isInt64Schema<S extends Pick<NormalizedSchema, 'format' | 'type'>>(
  schema: S,
): schema is S & { readonly format: Int64Format } {
  return isInt64Format(schema.format) && mayBeNumber(schema.type);
}

/** Whether a schema or any schema below it declares an int64. */
export function holdsInt64(document: NormalizedDocument, node: NormalizedSchema): boolean {
  return someSchemaBelow(document, node, isInt64Schema, CACHED_HOLDS_INT64);
}

const CACHED_HOLDS_INT64 = new WeakMap<NormalizedSchema, boolean>();

/** Whether a schema allows a number that is not an int64. */
export function mayBeOtherNumber(
  document: NormalizedDocument,
  node: NormalizedSchema,
  cache = new Map<NormalizedSchema, boolean>(),
): boolean {
  const schema = resolveReference(document, node);
  const { allOf = [], anyOf, oneOf } = schema;
  const allows = (alternative: NormalizedSchema): boolean => mayBeOtherNumber(document, alternative, cache);
  const isAllowed =
    cache.get(schema) ??
    (!isInt64Schema(schema) &&
      mayBeNumber(schema.type) &&
      allOf.every(allows) &&
      (anyOf?.some(allows) ?? true) &&
      (oneOf?.some(allows) ?? true));
  cache.set(schema, isAllowed);
  return isAllowed;
}

/** Whether a `type` allows numbers. Without a `type`, a schema allows them. @example mayBeNumber(['integer', 'null']) // true */
export function mayBeNumber(type: NormalizedSchema['type']): boolean {
  return type === undefined || [type].flat().some((name) => name === 'integer' || name === 'number');
}
