import { isData, isMapByName } from '../yaml/data';
import { resolveReference, type Document } from './document';
import { Mistake } from '../text/mistake';
import { definitionsOf, isObject, subschemas, type Schema } from './schema';

/**
 * Finds each schema of a document: those where OpenAPI has schemas, and all that are inside them or referred to.
 *
 * @param from the part of the document to begin at
 * @example for (const { type } of findSchemas(document)) console.log(type)
 */
export function findSchemas(document: Document, from: object = document): ReadonlySet<Schema> {
  const found = new Set<Schema>();
  addOutermost(found, from);
  // The set grows during the loop, which adds the schemas inside those that it has.
  for (const schema of found) {
    const target = tryResolve(document, schema);
    for (const inner of [...subschemas(schema), ...definitionsOf(schema), ...(target ? [target] : [])])
      found.add(inner);
  }
  return found;
}

/** Follows the reference of a schema, if it is one; undefined if it leads nowhere, which other readers report. */
export function tryResolve(document: Document, schema: Schema): Schema | undefined {
  try {
    return resolveReference(document, schema);
  } catch (error) {
    if (error instanceof Mistake) return undefined;
    throw error;
  }
}

// Adds the schemas that no other schema contains: under `schema` of a media type or a parameter, and in `schemas` of
// components. Examples and extensions (x-...) have none. `hasNames`: the contract chooses the keys.
function addOutermost(found: Set<Schema>, object: object, hasNames = false): void {
  for (const [key, child] of Object.entries(object) as [string, unknown][]) {
    const hasNone = !hasNames && (key.startsWith('x-') || key === 'examples' || isData(key, child));
    if (!isObject(child) || hasNone) continue;
    if (key === 'schema' && !hasNames) found.add(child);
    else if (key === 'schemas' && !hasNames)
      for (const schema of Object.values(child).filter(isObject)) found.add(schema);
    else addOutermost(found, child, !hasNames && isMapByName(key, child));
  }
}
