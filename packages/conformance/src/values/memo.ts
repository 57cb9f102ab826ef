// Caches the values that are made for schemas.
import type { Schema } from '../contract/schema';
import { schemaKey, type Ancestors } from './variant';

/** Returns the cached result of a kind for a schema, or makes it. */
export type Memo = <T>(kind: string, schema: Schema, ancestors: Ancestors, make: () => T) => T;

/**
 * The values of a recursive schema depend on its ancestors, the schemas around it: a result is neither cached nor
 * reused when making it reaches one of them again.
 */
export function createMemo(): Memo {
  // What was made, and the keys of all schemas for which something had to be made on the way.
  const cached = new Map<string, { readonly made: unknown; readonly reached: ReadonlySet<string> }>();
  // The same keys for each `make` that is still running, the innermost last.
  const reachedByRunning: Set<string>[] = [];
  const addToCaller = (reached: Iterable<string>): void => {
    for (const key of reached) reachedByRunning.at(-1)?.add(key);
  };
  return <T>(kind: string, schema: Schema, ancestors: Ancestors, make: () => T): T => {
    const key = schemaKey(schema);
    const dependsOnAncestors = (keys: ReadonlySet<string>): boolean => ancestors.some((ancestor) => keys.has(ancestor));
    const found = cached.get(`${kind} ${key}`);
    if (found && !dependsOnAncestors(found.reached)) {
      addToCaller(found.reached);
      return found.made as T;
    }
    const reached = new Set([key]);
    reachedByRunning.push(reached);
    try {
      const made = make();
      if (!dependsOnAncestors(reached)) cached.set(`${kind} ${key}`, { made, reached });
      return made;
    } finally {
      reachedByRunning.pop();
      addToCaller(reached);
    }
  };
}
