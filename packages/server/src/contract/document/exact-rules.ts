// Checks the rules of int64s by their digits.
import type { Document } from './document';
import { exactOf, toExact } from './exact-numbers';
import { holdsInt64, isInt64Schema } from './int64-schema';
import { without, type Schema } from './schema';

/** A rule for int64s. Returns what a wrong value must be, such as `be > 5`; undefined for a right value. */
export type ExactRule = (value: bigint) => string | undefined;

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** A minimum or maximum of an int64. */
interface Bound {
  readonly keyword: keyof Schema;
  readonly text: string;
  readonly allows: (value: bigint) => boolean;
}

/**
 * The rules of a schema that doubles cannot decide: those with numbers beyond 2^53, and multipleOf.
 *
 * @returns by keyword
 */
export function exactRulesOf(schema: Schema): ReadonlyMap<string, ExactRule> {
  const rules = new Map<string, ExactRule>();
  for (const { keyword, text, allows } of boundsOf(schema)) {
    // A bound that every int64 meets needs no check.
    if (!(allows(MIN) && allows(MAX))) rules.set(keyword, (value) => (allows(value) ? undefined : `be ${text}`));
  }
  const { multipleOf } = schema;
  if (Number.isInteger(multipleOf)) {
    const divisor = BigInt(String(exactOf(schema, 'multipleOf')));
    rules.set('multipleOf', (value) => (value % divisor === 0n ? undefined : `be multiple of ${String(divisor)}`));
  }
  for (const keyword of ['enum', 'const'] as const) {
    const values = [exactOf(schema, keyword)].flat().map(toExact);
    if (!values.some((one) => typeof one === 'bigint')) continue;
    const texts = new Set(values.map(String));
    rules.set(keyword, (value) => (texts.has(String(value)) ? undefined : 'be equal to one of the allowed values'));
  }
  return rules;
}

/**
 * Copies a schema for the validator without the rules that doubles cannot decide. enum and const stay: a double that is
 * none of their values is wrong.
 */
export function withoutExactRules(document: Document, schema: Schema): Schema {
  const left = hasExactItems(document, schema) ? without(schema, 'uniqueItems') : schema;
  if (!isInt64Schema(schema)) return left;
  const bounds = boundsOf(schema).map(({ keyword }) => keyword);
  const flags = bounds.flatMap((keyword) => (FLAGS.get(keyword) ?? []).filter((flag) => schema[flag] === true));
  const multiples = Number.isInteger(schema.multipleOf) ? (['multipleOf'] as const) : [];
  return without(left, ...bounds, ...flags, ...multiples);
}

/** Whether uniqueItems needs exact digits: different int64s may have the same double. */
export function hasExactItems(document: Document, { uniqueItems, items }: Schema): boolean {
  return uniqueItems === true && items !== undefined && holdsInt64(document, items);
}

// OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`.
const FLAGS = new Map<keyof Schema, readonly (keyof Schema)[]>([
  ['minimum', ['exclusiveMinimum']],
  ['maximum', ['exclusiveMaximum']],
]);

/** Lists the minimum and maximum of a schema that doubles cannot decide: numbers beyond 2^53. */
function boundsOf(schema: Schema): Bound[] {
  const { exclusiveMinimum, exclusiveMaximum } = schema;
  const [least, above] = [exactOf(schema, 'minimum'), exactOf(schema, 'exclusiveMinimum')];
  const [most, below] = [exactOf(schema, 'maximum'), exactOf(schema, 'exclusiveMaximum')];
  return [
    ...toBounds('minimum', exclusiveMinimum === true ? '>' : '>=', least),
    ...toBounds('exclusiveMinimum', '>', above),
    ...toBounds('maximum', exclusiveMaximum === true ? '<' : '<=', most),
    ...toBounds('exclusiveMaximum', '<', below),
  ];
}

const COMPARE = {
  '>': (value: bigint, limit: bigint) => value > limit,
  '>=': (value: bigint, limit: bigint) => value >= limit,
  '<': (value: bigint, limit: bigint) => value < limit,
  '<=': (value: bigint, limit: bigint) => value <= limit,
};

function toBounds(keyword: keyof Schema, sign: keyof typeof COMPARE, limit: unknown): Bound[] {
  if (typeof limit !== 'bigint') return [];
  return [{ keyword, text: `${sign} ${String(limit)}`, allows: (value) => COMPARE[sign](value, limit) }];
}
