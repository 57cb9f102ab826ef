// Replaces the schemas `true` and `false` by objects.
import { mapSchemas, schemasOf } from './keywords';
import type { Schema } from './schema';

// The kit itself reads true and false here: they allow or forbid undeclared properties and items.
const KEYWORDS_WITH_BOOLEANS = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']);

/** Replaces true by {}, which any value matches, and false by { not: {} }, which none matches (JSON Schema, Core, 4.3.2). */
export function withoutBooleans(keyword: string, value: unknown): unknown {
  if (KEYWORDS_WITH_BOOLEANS.has(keyword) || !schemasOf(keyword, value).some(isBoolean)) return value;
  return mapSchemas(keyword, value, toObjectSchema);
}

/** The same in an OpenAPI object that is no schema: in `schema` of a media type or parameter, and `schemas` of components. */
export function withoutBooleansOutside(key: string, value: unknown): unknown {
  if (key === 'schema') return toObjectSchema(value);
  // `schemas` of components has schemas by name, as the keyword `properties` has.
  return key === 'schemas' ? withoutBooleans('properties', value) : value;
}

function isBoolean(schema: unknown): schema is boolean {
  return typeof schema === 'boolean';
}

function toObjectSchema(schema: unknown): unknown {
  if (!isBoolean(schema)) return schema;
  return (schema ? {} : { not: {} }) satisfies Schema;
}
