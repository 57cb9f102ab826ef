import type { Schema } from '../contract/schema';
import { placesKey } from './objects';
import type { Inside } from './variant';

/** Returns the cached result for a schema, or makes it. */
export type Memo = <T>(what: string, schema: Schema, inside: Inside, make: () => T) => T;

/**
 * Caches what was made for schemas. A result is not cached, nor reused, when it depends on the schemas around it: that
 * is the case when it reaches one of them again, as a recursive schema does.
 */
export function createMemo(): Memo {
  const known = new Map<string, { readonly reached: ReadonlySet<string>; readonly made: unknown }>();
  const underWay: Set<string>[] = [];
  const addReached = (keys: Iterable<string>): void => {
    for (const key of keys) underWay.at(-1)?.add(key);
  };
  return <T>(what: string, schema: Schema, inside: Inside, make: () => T): T => {
    const key = placesKey(schema);
    const found = known.get(`${what} ${key}`);
    if (found && !inside.some((one) => found.reached.has(one))) {
      addReached(found.reached);
      return found.made as T;
    }
    const reached = new Set([key]);
    underWay.push(reached);
    try {
      const made = make();
      if (!inside.some((one) => reached.has(one))) known.set(`${what} ${key}`, { reached, made });
      return made;
    } finally {
      underWay.pop();
      addReached(reached);
    }
  };
}
