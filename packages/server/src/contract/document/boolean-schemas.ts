// Replaces the schemas `true` and `false` by objects.
import { mapSchemas, schemasOf } from './keywords';
import type { Schema } from './schema';

// The kit itself reads true and false here: they allow or forbid undeclared properties and items.
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

/** The same for a key of an object that is no schema itself, such as a media type, a parameter or components. */
export function withoutBooleansOutside(key: string, value: unknown): unknown {
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
