// The rules of int64s, whose limits are compared digit for digit.
import { resolveReference, type NormalizedDocument } from '../2-resolve/document';
import { someSchemaBelow } from '../2-resolve/find-schemas';
import { omitKeywords, type NormalizedSchema } from '../2-resolve/schema';
import { exactValueOf, toExact } from '../1-parse/parse-yaml';
import { DocumentError } from '../text/document-error';

/**
 * The formats of integers, with their ranges (OpenAPI Format Registry).
 *
 * @example INTEGER_RANGES.uint8.maximum // 255n
 */
export const INTEGER_RANGES = {
  int8: { minimum: -(2n ** 7n), maximum: 2n ** 7n - 1n },
  int16: { minimum: -(2n ** 15n), maximum: 2n ** 15n - 1n },
  int32: { minimum: -(2n ** 31n), maximum: 2n ** 31n - 1n },
  int64: { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n },
  uint8: { minimum: 0n, maximum: 2n ** 8n - 1n },
  uint16: { minimum: 0n, maximum: 2n ** 16n - 1n },
  uint32: { minimum: 0n, maximum: 2n ** 32n - 1n },
  uint64: { minimum: 0n, maximum: 2n ** 64n - 1n },
} as const;

export type Int64Format = 'int64' | 'uint64';

/** Whether a double may round the integers of a format. `isInt64` and the like mean these. @example isInt64Format('uint64') // true */
export function isInt64Format(format: string | undefined): format is Int64Format {
  return format === 'int64' || format === 'uint64';
}

/** Whether numbers that match a schema are int64s. A schema of strings only is not an int64, whatever its format. */
export function isInt64Schema({ format, type }: Pick<NormalizedSchema, 'format' | 'type'>): boolean {
  return isInt64Format(format) && mayBeNumber(type);
}

/** Whether a schema, or any schema below it, is an int64. */
export function holdsInt64(document: NormalizedDocument, node: NormalizedSchema): boolean {
  return someSchemaBelow(document, node, isInt64Schema, CACHED_HOLDS_INT64);
}

const CACHED_HOLDS_INT64 = new WeakMap<NormalizedSchema, boolean>();

/** Whether a schema, its allOf, and an alternative of its anyOf and oneOf allow a number that is not an int64. */
export function mayBeOtherNumber(
  document: NormalizedDocument,
  node: NormalizedSchema,
  known = new Map<NormalizedSchema, boolean>(),
): boolean {
  const schema = resolveReference(document, node);
  const { allOf = [], anyOf, oneOf } = schema;
  const allows = (alternative: NormalizedSchema): boolean => mayBeOtherNumber(document, alternative, known);
  const isAllowed =
    known.get(schema) ??
    (!isInt64Schema(schema) &&
      mayBeNumber(schema.type) &&
      allOf.every(allows) &&
      (anyOf?.some(allows) ?? true) &&
      (oneOf?.some(allows) ?? true));
  known.set(schema, isAllowed);
  return isAllowed;
}

function mayBeNumber(type: NormalizedSchema['type']): boolean {
  return type === undefined || [type].flat().some((one) => one === 'integer' || one === 'number');
}

/** A rule for int64s. Returns what a wrong value must be, such as `be > 5`; undefined for a right value. */
export type ExactRule = (value: bigint) => string | undefined;

/**
 * Finds the first rule that an int64 breaks; returns what it must be, such as `be > 5`; undefined if it breaks none.
 *
 * @example findBrokenRule(shape, 5n) // 'be > 5'
 */
export function findBrokenRule(
  { exactRules }: { readonly exactRules: readonly ExactRule[] },
  value: bigint,
): string | undefined {
  // Most int64s have none, and there may be a million of them.
  if (exactRules.length === 0) return undefined;
  return exactRules.map((rule) => rule(value)).find((requirement) => requirement !== undefined);
}

type BoundKeyword = (typeof BOUNDS)[number][0];

interface Bound {
  /** With the flag beside it, which has no meaning without it. */
  readonly keywords: readonly [BoundKeyword, ...BoundKeyword[]];
  /** The requirement in messages, such as `> 5`. */
  readonly text: string;
  readonly allows: (value: bigint) => boolean;
}

/** The rules, by keyword, that doubles cannot decide: those with numbers beyond 2^53, and multipleOf. */
function exactRulesOf(schema: NormalizedSchema): ReadonlyMap<string, ExactRule> {
  const rules = new Map<string, ExactRule>();
  const { minimum, maximum } = INTEGER_RANGES[isInt64Format(schema.format) ? schema.format : 'int64'];
  for (const { keywords, text, allows } of exactBoundsOf(schema)) {
    const allowsEveryInt64 = allows(minimum) && allows(maximum);
    if (!allowsEveryInt64) rules.set(keywords[0], (value) => (allows(value) ? undefined : `be ${text}`));
  }
  // A multipleOf such as 0.5 stays with the validator.
  if (Number.isInteger(schema.multipleOf)) {
    const divisor = BigInt(String(exactValueOf(schema, 'multipleOf')));
    rules.set('multipleOf', (value) => (value % divisor === 0n ? undefined : `be multiple of ${String(divisor)}`));
  }
  for (const keyword of ['enum', 'const'] as const) {
    const allowed = [exactValueOf(schema, keyword)].flat().map(toExact);
    if (!allowed.some((value) => typeof value === 'bigint')) continue;
    // Compare as digits, since smaller values are numbers, not bigints.
    const digits = new Set(allowed.map(String));
    rules.set(keyword, (value) => (digits.has(String(value)) ? undefined : 'be equal to one of the allowed values'));
  }
  return rules;
}

/**
 * The schema for the validator. enum and const stay: a double that is not one of their values is wrong.
 *
 * @example withoutInt64Rules({ type: 'integer', format: 'int64', multipleOf: 3 }).multipleOf // undefined
 */
export function withoutInt64Rules(schema: NormalizedSchema): NormalizedSchema {
  if (!isInt64Schema(schema)) return schema;
  const multiples = Number.isInteger(schema.multipleOf) ? (['multipleOf'] as const) : [];
  return omitKeywords(schema, ...exactBoundsOf(schema).flatMap(({ keywords }) => keywords), ...multiples);
}

// In OpenAPI 3.0, exclusiveMinimum is a flag that changes the meaning of minimum; in 3.1, it is a bound of its own.
const BOUNDS = [
  ['minimum', '>=', 'exclusiveMinimum'],
  ['exclusiveMinimum', '>', undefined],
  ['maximum', '<=', 'exclusiveMaximum'],
  ['exclusiveMaximum', '<', undefined],
] as const;
const COMPARE = {
  '>': (value: bigint, limit: bigint) => value > limit,
  '>=': (value: bigint, limit: bigint) => value >= limit,
  '<': (value: bigint, limit: bigint) => value < limit,
  '<=': (value: bigint, limit: bigint) => value <= limit,
};

/** The bounds whose numbers are not exact as doubles. */
function exactBoundsOf(schema: NormalizedSchema): Bound[] {
  return BOUNDS.flatMap(([keyword, inclusive, flag]) => {
    const limit = exactValueOf(schema, keyword);
    if (typeof limit !== 'bigint') return [];
    const isExclusive = flag !== undefined && schema[flag] === true;
    const sign = isExclusive ? (inclusive === '>=' ? '>' : '<') : inclusive;
    const keywords = isExclusive ? ([keyword, flag] as const) : ([keyword] as const);
    return [{ keywords, text: `${sign} ${String(limit)}`, allows: (value: bigint) => COMPARE[sign](value, limit) }];
  });
}

/** @throws DocumentError for a rule inside an alternative, since the kit does not know which one matches, or away from its format */
export function readInt64Rules(
  schema: NormalizedSchema,
  isConditional: (schema: NormalizedSchema) => boolean,
): ExactRule[] {
  const rules = exactRulesOf(schema);
  const [keyword] = rules.keys();
  if (keyword === undefined) return [];
  const hasFormat = isInt64Schema(schema);
  if (hasFormat && !isConditional(schema)) return [...rules.values()];
  const where = hasFormat
    ? 'inside an alternative: write it outside'
    : 'in another schema than its format: write them together';
  throw new DocumentError(schema, `${keyword} cannot be checked exactly for an int64 ${where}`, keyword);
}
