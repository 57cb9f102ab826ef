// The items of service.ts, checked by hand.
import { assertRight } from './http';

export type Item = Readonly<Record<string, unknown>>;
type Rules = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown, from: number, to: number): boolean =>
  typeof value === 'string' && Array.from(value).length >= from && Array.from(value).length <= to;
const isMatch = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);
const isNotes = (value: unknown): boolean => isText(value, 0, 500);
const isSet = (value: unknown): value is unknown[] => Array.isArray(value) && new Set(value).size === value.length;
const isTags = (value: unknown): boolean =>
  isSet(value) && value.length <= 10 && value.every((tag) => isText(tag, 1, 20));

const CLAIM = {
  reference: (value: unknown) => isMatch(value, /^[A-Z]{2}-[0-9]{4,10}$/),
  amount: (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 10_000_000,
  kind: (value: unknown) => isMatch(value, /^(damage|theft|other)$/),
  notes: isNotes,
  tags: isTags,
};
const PATCH: Rules = {
  ...CLAIM,
  notes: (value) => value === null || isNotes(value),
  tags: (value) => value === null || isTags(value),
};
const ADJUSTER: Rules = { name: (value) => isText(value, 1, 80), phone: (value) => isMatch(value, /^\+[0-9]{5,15}$/) };

function toItem(value: unknown, rules: Rules, required: readonly string[]): Item {
  assertRight(typeof value === 'object' && value !== null && !Array.isArray(value), 400, 'an object is wanted');
  for (const [name, own] of Object.entries(value)) {
    assertRight(Object.hasOwn(rules, name) && rules[name]?.(own) === true, 400, `${name} is wrong`);
  }
  for (const name of required) assertRight(Object.hasOwn(value, name), 400, `${name} is missing`);
  return value as Item;
}

export const toClaim = (value: unknown): Item => toItem(value, CLAIM, ['reference', 'amount', 'kind']);
export const toPatch = (value: unknown): Item => toItem(value, PATCH, []);
export const toAdjuster = (value: unknown): Item => toItem(value, ADJUSTER, ['name']);
