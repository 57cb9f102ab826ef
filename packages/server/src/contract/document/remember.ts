// Remembers what was found of a schema, which is asked wherever the schema is referred to.
import type { Schema } from './schema';

/** What is known of a schema, or else what is found of it now. */
export function remember(known: WeakMap<Schema, boolean>, schema: Schema, find: () => boolean): boolean {
  const found = known.get(schema) ?? find();
  known.set(schema, found);
  return found;
}
