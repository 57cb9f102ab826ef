// Caches answers about schemas.
import type { Schema } from './schema';

/** Returns the cached answer for a schema, or else calls `find` and caches its answer. */
export function remember(known: WeakMap<Schema, boolean>, schema: Schema, find: () => boolean): boolean {
  const found = known.get(schema) ?? find();
  known.set(schema, found);
  return found;
}
