// Replaces the schemas `true` and `false` by objects.
import { mapSchemas, schemasOf } from './keywords';
import type { Schema } from './schema';

// The kit reads what these say of properties and items that nothing else describes.
const AS_WRITTEN = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']);

/**
 * The value of a keyword of a schema, with objects for the schemas true and false (JSON Schema, Core, section 4.3.2).
 *
 * @example withoutBooleans('properties', { a: true, b: false }) // { a: {}, b: { not: {} } }
 */
export function withoutBooleans(keyword: string, value: unknown): unknown {
  if (AS_WRITTEN.has(keyword) || !schemasOf(keyword, value).some(isBoolean)) return value;
  return mapSchemas(keyword, value, toObject);
}

/** The same for what is no schema: a media type, a parameter, components. */
export function withSchemas(key: string, value: unknown): unknown {
  if (key === 'schema') return toObject(value);
  return key === 'schemas' ? withoutBooleans('properties', value) : value;
}

function isBoolean(schema: unknown): schema is boolean {
  return typeof schema === 'boolean';
}

function toObject(schema: unknown): unknown {
  if (!isBoolean(schema)) return schema;
  return (schema ? {} : { not: {} }) satisfies Schema;
}
