import { resolveReference, type Document } from './document';
import { isAnnotation, mapSchemas, schemasOf } from './keywords';
import { Mistake } from './mistake';
import type { Schema } from './schema';

/** Finds a `oneOf` whose alternatives have the same rules: no value matches exactly one, unless a discriminator decides. */
export function findEqualAlternatives(document: Document, schema: Schema): Mistake[] {
  const alternatives = schemasOf('oneOf', schema.oneOf);
  if (alternatives.length < 2 || schema.discriminator) return [];
  const rulesAsText = alternatives.map((alternative) => {
    const resolved = isObjectSchema(alternative) ? resolveReference(document, alternative) : alternative;
    return JSON.stringify(withoutAnnotations(resolved));
  });
  if (new Set(rulesAsText).size > 1) return [];
  const message = 'these alternatives have the same rules, so that no value matches exactly one: write anyOf';
  return [new Mistake(schema, message, 'oneOf')];
}

// Without title, default and the like: only the keywords that decide which values are valid.
function withoutAnnotations(schema: unknown): unknown {
  if (!isObjectSchema(schema)) return schema;
  const rules = Object.entries(schema).filter(([keyword]) => keyword !== 'default' && !isAnnotation(keyword));
  return Object.fromEntries(
    rules.map(([keyword, value]: [string, unknown]) => {
      const containsSchemas = schemasOf(keyword, value).length > 0;
      return [keyword, containsSchemas ? mapSchemas(keyword, value, withoutAnnotations) : value];
    }),
  );
}

// In OpenAPI 3.1, true and false are schemas, too.
function isObjectSchema(schema: unknown): schema is Schema {
  return typeof schema === 'object';
}
