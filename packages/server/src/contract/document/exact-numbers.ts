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
const EXACT = Symbol('as it was written');

interface Written {
  [EXACT]?: Readonly<Record<string, unknown>>;
}

/** Converts bigints, also in arrays, to doubles. Objects inside were converted when they were parsed. */
export function toDoubles(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (!Array.isArray(value)) return value;
  const items = value.map(toDoubles);
  return items.every((item, index) => item === value[index]) ? value : items;
}

/** Remembers the exact value of a key, whose object has only the double. */
export function keepExact(object: object, key: string, value: unknown): void {
  const written = object as Written;
  written[EXACT] = { ...written[EXACT], [key]: value };
}

/** Adds the exact values of an object to its copy. */
export function carryExact<T extends object>(object: object, copy: T): T {
  const { [EXACT]: exact } = object as Written;
  return exact === undefined ? copy : Object.assign(copy, { [EXACT]: exact });
}

/** The exact value of a key: an integer beyond 2^53 is a bigint. */
export function exactOf(object: object, key: string): unknown {
  const exact = (object as Written)[EXACT]?.[key] ?? (object as Readonly<Record<string, unknown>>)[key];
  return typeof exact === 'number' ? toExact(exact) : exact;
}

/** An integer beyond 2^53 as a bigint. */
export function toExact(value: unknown): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value as number) : value;
}
