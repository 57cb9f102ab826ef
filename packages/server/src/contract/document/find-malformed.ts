import { findDialect } from './dialect';
import type { Document } from './document';
import { findSchemas } from './find-schemas';
import { kindOf } from './keywords';
import { Mistake } from './mistake';

/**
 * What is no schema: keywords whose values are of another kind. All other readers take the kinds for granted.
 *
 * @param document as it is written
 */
export function findMalformed(document: Document): Mistake[] {
  const { openapi: version } = document;
  return [...findSchemas(document)].flatMap((schema) =>
    Object.entries(schema).flatMap(([keyword, value]) => {
      const kind = kindOf(keyword, version, findDialect(document, schema)?.hasFlags);
      return kind === undefined || kind.isRight(value)
        ? []
        : [new Mistake(schema, `${keyword} must be ${kind.what}`, keyword)];
    }),
  );
}
