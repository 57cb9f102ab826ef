// Reads the operations of a contract.
import type { Document } from '../document/document';
import { findMalformed } from '../document/find-malformed';
import { findSchemas } from '../document/find-schemas';
import { Mistakes } from '../document/mistake';
import { toPlainDocument } from '../document/plain-document';
import { readEach, type Operation } from './operation';

/** What was read of a contract. */
export interface ReadContract {
  /** In plain words of JSON Schema. The operations and mistakes are about its nodes. */
  readonly document: Document;
  readonly operations: readonly Operation[];
  /** Each that prevents serving an operation. */
  readonly mistakes: Mistakes['all'];
}

/**
 * Reads the operations of a contract, and what is wrong with them.
 *
 * @param written the contract as it is written
 * @param isBroken whether it is known to be no OpenAPI: what cannot be read of it is left out
 * @example const { document, operations, mistakes } = readOperations(parseYaml(source, file) as Document)
 */
export function readOperations(written: Document, isBroken = false): ReadContract {
  const schemas = findSchemas(written);
  const malformed = findMalformed(written, schemas);
  // No other reader can tell what such schemas mean.
  if (malformed.length > 0) return { document: written, operations: [], mistakes: malformed };
  const mistakes = new Mistakes(isBroken);
  const document = mistakes.attempt(() => toPlainDocument(written, schemas)) ?? written;
  return { document, operations: readEach(document, mistakes), mistakes: mistakes.all };
}
