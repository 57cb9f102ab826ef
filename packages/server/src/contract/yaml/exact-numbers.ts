import { intCoreTag, type ScalarTagDefinition } from 'js-yaml';

/** The YAML tag of integers; one that a double cannot hold becomes a bigint. */
export const EXACT_INTEGER: ScalarTagDefinition<number | bigint> = {
  ...intCoreTag,
  resolve(source, isExplicit, tagName) {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    return typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(source) : value;
  },
};

// A symbol, so that only readers of int64s see it: Object.entries leaves it out.
const EXACT_VALUES = Symbol('as it was written');

interface WithExactValues {
  [EXACT_VALUES]?: Readonly<Record<string, unknown>>;
}

/** Converts bigints to doubles, also in arrays; objects inside were converted when parsed. Without bigints, the same value. */
export function toDoubles(value: unknown, known = new Map<unknown, unknown>()): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (!Array.isArray(value)) return value;
  // An alias is the same array as the node that it stands for.
  if (known.has(value)) return known.get(value);
  known.set(value, value);
  const items = value.map((item) => toDoubles(item, known));
  const isSame = items.every((item, index) => item === value[index]);
  known.set(value, isSame ? value : items);
  return isSame ? value : items;
}

/** Remembers the exact value of a key under a symbol of the object: under the key itself, numbers are rounded. */
export function keepExactValue(object: object, key: string, exactValue: unknown): void {
  const target = object as WithExactValues;
  target[EXACT_VALUES] = { ...target[EXACT_VALUES], [key]: exactValue };
}

export function copyExactValues<T extends object>(object: object, copy: T): T {
  const { [EXACT_VALUES]: exactValues } = object as WithExactValues;
  return exactValues === undefined ? copy : Object.assign(copy, { [EXACT_VALUES]: exactValues });
}

/**
 * The value of a key as it was written: an integer beyond 2^53 is a bigint, other numbers are numbers.
 *
 * @example exactValueOf(schema, 'maximum') // 9223372036854775807n
 */
export function exactValueOf(object: object, key: string): unknown {
  const rounded = (object as Readonly<Record<string, unknown>>)[key];
  const value = (object as WithExactValues)[EXACT_VALUES]?.[key] ?? rounded;
  return typeof value === 'number' ? toExact(value) : value;
}

export function toExact(value: unknown): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value as number) : value;
}
