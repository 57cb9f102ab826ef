// Parses int64s without rounding, and compares values that contain them.
import { isObjectOrArray } from '../2-resolve/schema';
import { INTEGER_RANGES, type IntegerFormat } from '../4-shape/integer-formats';
import type { Shape } from '../4-shape/shape';

// More digits than any integer format allows.
const MAX_DIGITS = 40;
type NumberParts = [token: string, sign: string, whole: string, fraction?: string, exponent?: string];
// A JSON number (RFC 8259 section 6).
const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Whether a JSON text might have a number that a double rounds. Such a number has a fraction, an exponent, or at least 16
 * digits. A match inside a string costs only time.
 *
 * @example mayBeRounded('[9007199254740993]') // true
 */
export function mayBeRounded(text: string): boolean {
  return /\d[.eE]|9\d{15}|\d{17}/.test(text);
}

/** Parses a JSON number as a double, or without rounding if the shape is an int64. */
export function readNumber(shape: Shape | undefined, token: string): bigint | number {
  return shape?.isInt64 === true && mayBeRounded(token) ? readInteger(token) : Number(token);
}

/**
 * Parses text as a number or boolean if the shape allows one. Otherwise it returns the string, which the validator checks.
 *
 * @example readScalar(shape, '5') // 5 where the shape has the type integer
 */
export function readScalar(shape: Shape | undefined, text: string): bigint | boolean | number | string {
  const types = shape?.types ?? new Set();
  if ((types.has('integer') || types.has('number')) && NUMBER.test(text) && Number.isFinite(Number(text)))
    return readNumber(shape, text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/**
 * Parses every digit of a JSON number, so an integer beyond 2^53 becomes a bigint. `1.0` and `1e3` are integers, as in JSON
 * Schema. `1.0000000000000000001`, which only rounding makes an integer, becomes NaN, which no schema accepts.
 */
export function readInteger(token: string): bigint | number {
  const [, sign, integerDigits, fraction = '', exponent = ''] = NUMBER.exec(token) as unknown as NumberParts;
  const digits = integerDigits + fraction;
  // Loops strip the zeros at both ends, because a pattern such as /0+$/ would take quadratic time.
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end--;
  if (start === end) return 0;
  // The number of zeros after the significant digits, such as 2 for `15e2`; negative for a fraction such as `1.5`.
  const zeros = Number(exponent) - fraction.length + (digits.length - end);
  const double = Number(token);
  if (zeros < 0) return Number.isInteger(double) ? NaN : double;
  // A huge exponent must not create a huge string.
  if (Number.isSafeInteger(double) || end - start + zeros > MAX_DIGITS) return double;
  return BigInt(sign + digits.slice(start, end) + '0'.repeat(zeros));
}

/** Whether an integer is in the range of a format. @example isIntegerOf('int64', 2n ** 63n) // false */
export function isIntegerOf(format: IntegerFormat, value: bigint): boolean {
  const { minimum, maximum } = INTEGER_RANGES[format];
  return value >= minimum && value <= maximum;
}

/** Whether a format is an integer format. @example isIntegerFormat('int32') // true */
export function isIntegerFormat(format: string): format is IntegerFormat {
  return Object.hasOwn(INTEGER_RANGES, format);
}

/**
 * Describes the range of an integer format.
 *
 * @example describeInteger('int32') // 'must be an integer from -2147483648 to 2147483647'
 */
export function describeInteger(format: IntegerFormat): string {
  const { minimum, maximum } = INTEGER_RANGES[format];
  return `must be an integer from ${String(minimum)} to ${String(maximum)}`;
}

/** Whether a value contains a bigint at any depth. @example holdsBigint({ ids: [1n] }) // true */
export function holdsBigint(value: unknown): boolean {
  // The list grows during the loop. Recursion would overflow the stack for deeply nested values.
  const values = [value];
  for (const current of values) {
    if (typeof current === 'bigint') return true;
    if (isObjectOrArray(current)) for (const member of Object.values(current)) values.push(member);
  }
  return false;
}

const ORDINARY_MEMBER = { enumerable: true, writable: true, configurable: true };

/**
 * Sets a member whose name comes from a client. Assigning to `__proto__` would set the prototype.
 *
 * @example setMember(object, '__proto__', 1)
 */
export function setMember(object: Record<string | number, unknown>, name: string | number, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { ...ORDINARY_MEMBER, value });
  else object[name] = value;
}

/** Returns the same key for two values if and only if they are equal (JSON Schema Core, section 4.2.2). */
export type ToValueKey = (value: unknown) => string;

const MAX_UNCACHED_CHARACTERS = 32;

/**
 * Creates a ToValueKey for the values of one message. It traverses each object and list only once, even if uniqueItems
 * applies at several levels.
 *
 * @example const keyOf = createValueKeys(); keyOf({ a: 1, b: 2 }) === keyOf({ b: 2, a: 1 }) // true
 */
export function createValueKeys(): ToValueKey {
  const keys = new Map<object, string>();
  // The content of an object or list contains the keys of nested ones.
  const keyByContent = new Map<string, string>();

  return keyOf;

  function keyOf(value: unknown): string {
    // A double beyond 2^53 can represent several integers, so it never equals a bigint.
    if (typeof value === 'bigint') return `${String(value)}n`;
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const cachedKey = keys.get(value);
    if (cachedKey !== undefined) return cachedKey;
    const content = Array.isArray(value)
      ? // On short lists, map and join take twice as long as reduce.
        `[${value.reduce<string>((text, item) => `${text}${keyOf(item)},`, '')}]`
      : // The order of members does not matter.
        `{${Object.entries(value)
          .map(([name, member]) => `${JSON.stringify(name)}:${keyOf(member)}`)
          .sort()
          .join()}}`;
    // A short key is cheaper to rebuild than to look up. Only keys of objects and lists begin with #, [ or {.
    if (content.length <= MAX_UNCACHED_CHARACTERS) return content;
    const key = keyByContent.get(content) ?? `#${String(keyByContent.size)}`;
    keyByContent.set(content, key);
    keys.set(value, key);
    return key;
  }
}

/**
 * Whether no two items are equal.
 *
 * @example areUnique([1, 1], createValueKeys()) // false
 */
export function areUnique(items: readonly unknown[], keyOf: ToValueKey): boolean {
  return items.length < 2 || new Set(items.map(keyOf)).size === items.length;
}
