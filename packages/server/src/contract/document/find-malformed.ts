import { findDialect } from './dialect';
import type { Document } from './document';
import { kindOf } from './keywords';
import { Mistake } from './mistake';
import type { Schema } from './schema';

/**
 * What is no schema: keywords whose values are of another kind. All other readers take the kinds for granted.
 *
 * @param document as it is written
 * @param schemas of the document
 */
export function findMalformed(document: Document, schemas: ReadonlySet<Schema>): Mistake[] {
  const { openapi: version } = document;
  return [...schemas].flatMap((schema) =>
    Object.entries(schema).flatMap(([keyword, value]) => {
      const kind = kindOf(keyword, version, findDialect(document, schema)?.hasFlags);
      return kind === undefined || kind.isRight(value)
        ? []
        : [new Mistake(schema, `${keyword} must be ${kind.what}`, keyword)];
    }),
  );
}
