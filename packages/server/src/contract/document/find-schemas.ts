import { resolveReference, type Document } from './document';
import { Mistake } from './mistake';
import { subschemas, type Schema } from './schema';

/**
 * Each schema of a document: where OpenAPI has schemas, and what these hold and refer to.
 *
 * @example for (const { type } of findSchemas(document)) console.log(type)
 */
export function findSchemas(document: Document): ReadonlySet<Schema> {
  const found = new Set<Schema>();
  addSchemas(found, document);
  // The set grows during the loop.
  for (const schema of found) {
    const target = tryResolve(document, schema);
    const defined = Object.values(schema.$defs ?? {});
    for (const one of [...subschemas(schema), ...defined, ...(target ? [target] : [])])
      if (isObject(one)) found.add(one);
  }
  return found;
}

/** What a schema refers to, or itself; undefined where the reference leads nowhere, which other readers report. */
export function tryResolve(document: Document, schema: Schema): Schema | undefined {
  try {
    return resolveReference(document, schema);
  } catch (error) {
    if (error instanceof Mistake) return undefined;
    throw error;
  }
}

// Names of the contract's own, where x- is no extension.
const MAPS = new Set(['headers', 'parameters', 'responses', 'requestBodies', 'pathItems', 'callbacks', 'webhooks']);

function addSchemas(found: Set<Schema>, node: object, isMap = false): void {
  for (const [key, child] of Object.entries(node) as [string, unknown][]) {
    if (!isObject(child) || key === 'example' || key === 'examples' || (key.startsWith('x-') && !isMap)) continue;
    if (key === 'schema') found.add(child);
    else if (key === 'schemas') for (const one of Object.values(child).filter(isObject)) found.add(one);
    else addSchemas(found, child, MAPS.has(key));
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
