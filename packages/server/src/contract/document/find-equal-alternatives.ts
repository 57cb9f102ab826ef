import { resolveReference, type Document } from './document';
import { isAnnotation, mapSchemas, schemasOf } from './keywords';
import { Mistake } from './mistake';
import type { Schema } from './schema';

/**
 * Finds a `oneOf` whose alternatives all have the same rules: a value matches all of them or none, never exactly one. With
 * a discriminator, the value of its property decides, so that equal rules are no mistake.
 */
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

/**
 * Copies a schema, and the schemas inside it, with only the keywords that decide which values are valid: without title,
 * default and the like. The schemas true and false are returned as they are.
 */
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
