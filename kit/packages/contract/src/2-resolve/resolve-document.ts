// Finds the schemas of a document, and removes the parts that later passes cannot read.
import { isObjectOrArray, type WrittenSchema } from './schema';
import { removeMisplacedFields } from './structure';
import type { Document } from './document';
import { inheritDialects, removeMalformedKeywords } from './supported';
import { findSchemas } from './find-schemas';
import type { DocumentError } from '../text/document-error';

export interface ResolvedDocument {
  /** A copy without malformed parts. A schema with a dialect other than the contract's has its own `$schema`. */
  readonly document: Document;
  readonly schemas: ReadonlySet<WrittenSchema>;
  readonly errors: readonly DocumentError[];
  /** Whether objects outside schemas are malformed, which can cause further errors. */
  readonly isMisplaced: boolean;
}

/** @param readItems prepares the media types of the copied document that have items */
export function resolveDocument(
  written: Document,
  readItems: (document: Document) => readonly DocumentError[],
): ResolvedDocument {
  const document = copyDocument(written);
  const misplaced = [...removeMisplacedFields(document), ...readItems(document)];
  const schemas = findSchemas(document);
  inheritDialects(schemas);
  const errors = [...misplaced, ...removeMalformedKeywords(document, schemas)];
  return { document, schemas, errors, isMisplaced: misplaced.length > 0 };
}

/** Copies each object only once, so that YAML aliases still share it. */
function copyDocument(written: Document): Document {
  const copies = new Map<object, Record<string, unknown>>();
  const toCopy = (value: unknown): unknown => {
    if (!isObjectOrArray(value)) return value;
    const copy =
      copies.get(value) ?? ((Array.isArray(value) ? value.slice() : { ...value }) as Record<string, unknown>);
    copies.set(value, copy);
    return copy;
  };
  const document = toCopy(written) as Document;
  for (const copy of copies.values()) for (const [key, value] of Object.entries(copy)) copy[key] = toCopy(value);
  return document;
}
