// Compares the limits of two schemas.
import type { JsonObject } from './problem';

/** A bound of a value or of a size. */
export interface Limit {
  readonly value: number;
  /** The bound itself is not allowed. */
  readonly isExclusive: boolean;
}

const SMALLEST_SIZE = ['minLength', 'minItems', 'minProperties'];
const LOWER = ['minimum', ...SMALLEST_SIZE];
const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const EXCLUSIVE = new Map([
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
]);

/** The keywords that readLimits reads. */
export const LIMIT_KEYWORDS: readonly string[] = [...LOWER, ...UPPER, ...EXCLUSIVE.values()];

/** The tightest bound of each kind, for a value that must match all of the schemas. */
export function readLimits(schemas: readonly JsonObject[]): ReadonlyMap<string, Limit> {
  const limits = new Map<string, Limit>();
  for (const schema of schemas) {
    for (const name of [...LOWER, ...UPPER]) {
      for (const limit of limitsOf(schema, name)) {
        if (isTighter(name, limit, limits.get(name))) limits.set(name, limit);
      }
    }
  }
  return limits;
}

/** Whether a limit allows less than another one of the same name. */
export function isTighter(name: string, limit: Limit, than: Limit | undefined): boolean {
  if (than === undefined) return true;
  if (limit.value === than.value) return limit.isExclusive && !than.isExclusive;
  return LOWER.includes(name) ? limit.value > than.value : limit.value < than.value;
}

export function showLimit(limit: Limit | undefined): string {
  return limit ? `${String(limit.value)}${limit.isExclusive ? ' excluded' : ''}` : 'none';
}

// OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`; 3.1 has a number of its own.
function limitsOf(schema: JsonObject, name: string): Limit[] {
  const value = schema[name];
  const exclusive = schema[EXCLUSIVE.get(name) ?? ''];
  // A smallest size of 0 is no limit.
  if (value === 0 && SMALLEST_SIZE.includes(name)) return [];
  return [
    ...(typeof value === 'number' ? [{ value, isExclusive: exclusive === true }] : []),
    ...(typeof exclusive === 'number' ? [{ value: exclusive, isExclusive: true }] : []),
  ];
}
