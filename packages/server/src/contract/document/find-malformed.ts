import { findDialect } from './dialect';
import type { Document } from './document';
import { valueKindOf } from './keywords';
import { Mistake } from './mistake';
import type { Schema } from './schema';

/** Finds keywords whose values have the wrong type, such as `properties: 5`. All other readers rely on the types. */
export function findMalformed(document: Document, schemas: ReadonlySet<Schema>): Mistake[] {
  return [...schemas].flatMap((schema) => {
    // Whether exclusiveMinimum is a boolean in this dialect of JSON Schema; otherwise it is a number.
    const hasFlags = findDialect(document, schema)?.hasFlags;
    return Object.entries(schema).flatMap(([keyword, value]) => {
      const kind = valueKindOf(keyword, document.openapi, hasFlags);
      // OpenAPI does not define the values of a keyword that it does not know.
      if (kind === undefined || kind.isValid(value)) return [];
      return [new Mistake(schema, `${keyword} must be ${kind.expected}`, keyword)];
    });
  });
}
