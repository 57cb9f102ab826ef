// Finds the schemas of a document, and removes the parts that later passes could not read.
import { isObjectOrArray, type WrittenSchema } from './schema';
import { takeOutMisplaced } from './structure';
import type { Document } from './document';
import { inheritDialects, takeOutMalformed } from './supported';
import { findSchemas } from './find-schemas';
import type { DocumentError } from '../text/document-error';

export interface ResolvedDocument {
  /** A copy without malformed parts. Each schema names its dialect if that is not the contract's. */
  readonly document: Document;
  readonly schemas: ReadonlySet<WrittenSchema>;
  readonly errors: readonly DocumentError[];
  /** Whether objects around schemas are malformed, which may cause other errors. */
  readonly isMisplaced: boolean;
}

/** @param readItems prepares the media types of the copy that have items */
export function resolveDocument(
  written: Document,
  readItems: (document: Document) => readonly DocumentError[],
): ResolvedDocument {
  const document = copyDocument(written);
  const misplaced = [...takeOutMisplaced(document), ...readItems(document)];
  const schemas = findSchemas(document);
  inheritDialects(schemas);
  const errors = [...misplaced, ...takeOutMalformed(document, schemas)];
  return { document, schemas, errors, isMisplaced: misplaced.length > 0 };
}

/** Copies each object once, so that YAML aliases stay the same object. */
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
  // The map grows during the loop.
  for (const copy of copies.values()) for (const [key, value] of Object.entries(copy)) copy[key] = toCopy(value);
  return document;
}
