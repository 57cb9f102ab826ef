// Reads the operations of a contract.
import { inheritDialects } from '../document/dialect';
import type { Document } from '../document/document';
import { findMalformed } from '../document/schema-support';
import { findSchemas } from '../document/find-schemas';
import { Mistakes } from '../document/mistake';
import { toPlainDocument } from '../document/plain-document';
import { readAllOperations, type Operation } from './operation';

export interface ReadContract {
  /** As toPlainDocument rewrote it. The operations and mistakes refer to its nodes. */
  readonly document: Document;
  readonly operations: readonly Operation[];
  /** What prevents serving an operation. */
  readonly mistakes: Mistakes['all'];
}

/**
 * Reads the operations of a contract, and what is wrong with them.
 *
 * @param written the contract as parseYaml returns it
 * @param isBroken whether it is known to be no valid OpenAPI: then an error while reading is no bug of the kit, and is ignored
 * @example const { document, operations, mistakes } = readOperations(parseYaml(source, file) as Document)
 */
export function readOperations(written: Document, isBroken = false): ReadContract {
  const schemas = findSchemas(written);
  inheritDialects(schemas);
  const malformed = findMalformed(written, schemas);
  // The other readers rely on keywords of the right type.
  if (malformed.length > 0) return { document: written, operations: [], mistakes: malformed };
  const mistakes = new Mistakes(isBroken);
  const document = mistakes.attempt(() => toPlainDocument(written, schemas)) ?? written;
  return { document, operations: readAllOperations(document, mistakes), mistakes: mistakes.all };
}
