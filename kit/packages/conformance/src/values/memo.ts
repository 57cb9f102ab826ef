// Keeps what is made for a schema, and keeps it small.
import { schemaKey, type Schema } from '../contract/schema';
import { attempt, SkippedError } from '../contract/skipped';
import type { Variant } from './variant';

/** Returns the cached result of a kind for a schema, or throws the cached SkippedError, or makes it. */
type Memo = <T>(kind: string, schema: Schema, make: () => T) => T;

/** The values of a recursive schema depend on where it stands in its recursion. */
export function createMemo(): Memo {
  const cached = new Map<string, unknown>();
  return <T>(kind: string, schema: Schema, make: () => T): T => {
    const { recursion, alternatives } = schema;
    const place = recursion && [recursion.entry, recursion.distance, recursion.excess];
    const key = [kind, schemaKey(schema), alternatives, ...(place ?? [])].join(' ');
    if (!cached.has(key))
      cached.set(
        key,
        attempt<unknown>(make, (error) => error),
      );
    const result = cached.get(key);
    if (result instanceof SkippedError) throw result;
    return result as T;
  };
}

// Where schemas share others at each level, each place of a rule would have its variants, which double at each level.
const MAX_VARIANTS = 1_000;

/** All variants, or those of one place for each rule if they are too many. */
export function limitVariants(variants: Variant[]): Variant[] {
  if (variants.length <= MAX_VARIANTS) return variants;
  const ruleOf = ({ pointer, keyword, label }: Variant): string =>
    [pointer, keyword, label.replace(/(?:union member|item) \d+, /g, '')].join(' ');
  return [...Map.groupBy(variants, ruleOf).values()].flatMap(([first]) => first ?? []);
}
