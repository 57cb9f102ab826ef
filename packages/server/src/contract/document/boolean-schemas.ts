// Replaces the schemas `true` and `false` by objects.
import { mapSchemas, schemasOf } from './keywords';
import type { Schema } from './schema';

// The kit itself reads true and false here: they allow or forbid undeclared properties and items.
const KEYWORDS_WITH_BOOLEANS = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']);

/**
 * Replaces the schemas true and false in the value of a schema's keyword: true by {}, which any value matches, and false
 * by { not: {} }, which none matches (JSON Schema, Core, section 4.3.2).
 *
 * @example withoutBooleans('properties', { a: true, b: false }) // { a: {}, b: { not: {} } }
 */
export function withoutBooleans(keyword: string, value: unknown): unknown {
  if (KEYWORDS_WITH_BOOLEANS.has(keyword) || !schemasOf(keyword, value).some(isBoolean)) return value;
  return mapSchemas(keyword, value, toObjectSchema);
}

/**
 * Replaces the schemas true and false (by {} and { not: {} }) in a key of an OpenAPI object that is no schema itself: `schema`
 * of a media type or a parameter, and `schemas` of components. The values of other keys have no schemas directly inside.
 */
export function withoutBooleansOutside(key: string, value: unknown): unknown {
  if (key === 'schema') return toObjectSchema(value);
  // `schemas` of components has schemas by name, as the keyword `properties` has.
  return key === 'schemas' ? withoutBooleans('properties', value) : value;
}

function isBoolean(schema: unknown): schema is boolean {
  return typeof schema === 'boolean';
}

/** The object that means the same as the schema true or false; any other schema is returned as it is. */
function toObjectSchema(schema: unknown): unknown {
  if (!isBoolean(schema)) return schema;
  return (schema ? {} : { not: {} }) satisfies Schema;
}
