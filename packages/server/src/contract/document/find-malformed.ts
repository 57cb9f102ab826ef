import { findDialect } from './dialect';
import type { Document } from './document';
import { kindOf } from './keywords';
import { Mistake } from './mistake';
import type { Schema } from './schema';

/**
 * Finds keywords whose values have the wrong type, such as `properties: 5`. All other readers rely on the types.
 *
 * @param document as parseYaml returns it
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
