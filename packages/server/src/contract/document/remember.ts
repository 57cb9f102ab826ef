// Caches answers about schemas.
import type { Schema } from './schema';

export function remember(known: WeakMap<Schema, boolean>, schema: Schema, find: () => boolean): boolean {
  const found = known.get(schema) ?? find();
  known.set(schema, found);
  return found;
}
