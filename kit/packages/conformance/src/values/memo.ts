import { schemaKey, type Schema } from '../contract/schema';
import { attempt, SkippedError } from '../contract/skipped';
import type { Variant } from './variant';

type CacheValues = <T>(kind: string, schema: Schema, make: () => T) => T;

/** Caches values by schema. Those of a recursive schema also depend on its position in the recursion. */
export function createValueCache(): CacheValues {
  const cache = new Map<string, unknown>();
  return <T>(kind: string, schema: Schema, make: () => T): T => {
    const { recursion, alternatives } = schema;
    const position = recursion && [recursion.entry, recursion.distance, recursion.excess];
    const key = [kind, schemaKey(schema), alternatives, ...(position ?? [])].join(' ');
    if (!cache.has(key))
      cache.set(
        key,
        attempt<unknown>(make, (error) => error),
      );
    const result = cache.get(key);
    if (result instanceof SkippedError) throw result;
    return result as T;
  };
}

// The most variants to keep, since their number can double at each level if schemas share subschemas.
const MAX_VARIANTS = 1_000;

/** If there are too many variants, keeps one for each rule. */
export function limitVariants(variants: Variant[]): Variant[] {
  if (variants.length <= MAX_VARIANTS) return variants;
  const ruleOf = ({ pointer, keyword, label }: Variant): string =>
    [pointer, keyword, label.replace(/(?:union member|item) \d+, /g, '')].join(' ');
  return [...Map.groupBy(variants, ruleOf).values()].flatMap(([first]) => first ?? []);
}
