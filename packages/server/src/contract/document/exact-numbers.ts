import { intCoreTag, type ScalarTagDefinition } from 'js-yaml';

/** The YAML tag of integers; one that a double cannot hold becomes a bigint. */
export const EXACT_INTEGER: ScalarTagDefinition<number | bigint> = {
  ...intCoreTag,
  resolve(source, isExplicit, tagName) {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    return typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(source) : value;
  },
};

// No reader of a contract but those of int64s sees it.
const EXACT = Symbol('as it was written');

interface Written {
  [EXACT]?: Readonly<Record<string, unknown>>;
}

/** A value with doubles for the bigints in it; objects have theirs already. */
export function toDoubles(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (!Array.isArray(value)) return value;
  const items = value.map(toDoubles);
  return items.every((item, index) => item === value[index]) ? value : items;
}

/** Keeps a value of an object as it was written. */
export function keepExact(object: object, key: string, value: unknown): void {
  const written = object as Written;
  written[EXACT] = { ...written[EXACT], [key]: value };
}

/** Makes a copy of an object have its values as they were written, too. */
export function carryExact<T extends object>(object: object, copy: T): T {
  const { [EXACT]: exact } = object as Written;
  return exact === undefined ? copy : Object.assign(copy, { [EXACT]: exact });
}

/** A value of an object as it was written: a number that a double cannot hold is a bigint. */
export function exactOf(object: object, key: string): unknown {
  const exact = (object as Written)[EXACT]?.[key] ?? (object as Readonly<Record<string, unknown>>)[key];
  return typeof exact === 'number' ? toExact(exact) : exact;
}

/** An integer beyond 2^53 as a bigint. */
export function toExact(value: unknown): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value as number) : value;
}
