// Compares the limits of two schemas.
import type { JsonObject } from './problem';

/** A bound of a value or of a size. */
export interface Limit {
  readonly value: number;
  /** The bound itself is not allowed. */
  readonly isExclusive: boolean;
}

const SMALLEST_SIZES = ['minLength', 'minItems', 'minProperties'];
const LOWER_BOUNDS = ['minimum', ...SMALLEST_SIZES];
const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const EXCLUSIVE_KEYWORDS = new Map([
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
]);

export const LIMIT_KEYWORDS: readonly string[] = [...LOWER_BOUNDS, ...UPPER_BOUNDS, ...EXCLUSIVE_KEYWORDS.values()];

/** The tightest limits by keyword, such as `maxLength`; `exclusiveMinimum` is under `minimum`, the maximum likewise. */
export function readLimits(schemas: readonly JsonObject[]): ReadonlyMap<string, Limit> {
  const limits = new Map<string, Limit>();
  for (const schema of schemas) {
    for (const name of [...LOWER_BOUNDS, ...UPPER_BOUNDS]) {
      for (const limit of readLimitsOf(schema, name)) {
        if (isTighter(name, limit, limits.get(name))) limits.set(name, limit);
      }
    }
  }
  return limits;
}

/** Whether a limit allows less than another: a higher minimum, or a lower maximum. Any limit is tighter than none. */
export function isTighter(name: string, limit: Limit, than: Limit | undefined): boolean {
  if (than === undefined) return true;
  if (limit.value === than.value) return limit.isExclusive && !than.isExclusive;
  return LOWER_BOUNDS.includes(name) ? limit.value > than.value : limit.value < than.value;
}

export function showLimit(limit: Limit | undefined): string {
  return limit ? `${String(limit.value)}${limit.isExclusive ? ' excluded' : ''}` : 'none';
}

// None, one or two: in OpenAPI 3.1, `exclusiveMinimum` is a number of its own beside `minimum`; in OpenAPI 3.0,
// `exclusiveMinimum: true` makes `minimum` exclusive.
function readLimitsOf(schema: JsonObject, name: string): Limit[] {
  const value = schema[name];
  const exclusive = schema[EXCLUSIVE_KEYWORDS.get(name) ?? ''];
  // A smallest size of 0 is no limit.
  if (value === 0 && SMALLEST_SIZES.includes(name)) return [];
  return [
    ...(typeof value === 'number' ? [{ value, isExclusive: exclusive === true }] : []),
    ...(typeof exclusive === 'number' ? [{ value: exclusive, isExclusive: true }] : []),
  ];
}
