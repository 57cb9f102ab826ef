import { resolveReference, type Document } from './document';
import { isAnnotation, mapSchemas, schemasOf } from './keywords';
import { Mistake } from './mistake';
import type { Schema } from './schema';

/** Finds a `oneOf` whose schemas all have the same rules, so that no value matches exactly one of them. */
export function findAlike(document: Document, schema: Schema): Mistake[] {
  const alternatives = schemasOf('oneOf', schema.oneOf);
  if (alternatives.length < 2 || schema.discriminator) return [];
  const different = new Set(
    alternatives.map((one) => JSON.stringify(toRules(isSchema(one) ? resolveReference(document, one) : one))),
  );
  const message = 'these alternatives have the same rules, so that no value matches exactly one: write anyOf';
  return different.size > 1 ? [] : [new Mistake(schema, message, 'oneOf')];
}

/** A schema without annotations: only the keywords that decide which values are valid. */
function toRules(schema: unknown): unknown {
  if (!isSchema(schema)) return schema;
  const rules = Object.entries(schema).filter(([keyword]) => keyword !== 'default' && !isAnnotation(keyword));
  return Object.fromEntries(
    rules.map(([keyword, value]) => [
      keyword,
      schemasOf(keyword, value).length > 0 ? mapSchemas(keyword, value, toRules) : (value as unknown),
    ]),
  );
}

// In OpenAPI 3.1, true and false are schemas, too.
function isSchema(value: unknown): value is Schema {
  return typeof value === 'object';
}
