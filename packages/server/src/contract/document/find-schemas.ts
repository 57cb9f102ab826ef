import { resolveReference, type Document } from './document';
import { Mistake } from './mistake';
import { subschemas, type Schema } from './schema';

/**
 * Each schema of a document: where OpenAPI has schemas, and what these hold and refer to.
 *
 * @example for (const { type } of findSchemas(document)) console.log(type)
 */
export function findSchemas(document: Document): ReadonlySet<Schema> {
  const found = new Set(schemasIn(document));
  // The set grows during the loop.
  for (const schema of found) {
    const target = tryResolve(document, schema);
    for (const one of [...subschemas(schema), ...(target ? [target] : [])]) if (isObject(one)) found.add(one);
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

function* schemasIn(node: object): Generator<Schema> {
  for (const [key, child] of Object.entries(node) as [string, unknown][]) {
    if (!isObject(child) || key === 'example' || key === 'examples') continue;
    if (key === 'schema') yield child;
    else if (key === 'schemas') yield* Object.values(child).filter(isObject);
    else yield* schemasIn(child);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
