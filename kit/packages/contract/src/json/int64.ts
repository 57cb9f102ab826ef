// int64s by their digits, and values that have them.
import { isObjectOrArray } from '../2-resolve/schema';
import { INTEGER_RANGES, type IntegerFormat } from '../4-shape/integer-formats';
import type { Shape } from '../4-shape/shape';

// More than any format allows.
const MAX_DIGITS = 40;
type NumberParts = [token: string, sign: string, whole: string, fraction?: string, exponent?: string];
// RFC 8259 section 6. Other notations, such as 0x10 or 1_000, are no numbers.
const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Whether a JSON text may have a number that is rounded to a double: with a fraction, an exponent, or as many digits as 2^53, which
 * has 16. A match inside a string costs only time.
 *
 * @example mayBeRounded('[9007199254740993]') // true
 */
export function mayBeRounded(text: string): boolean {
  return /\d[.eE]|9\d{15}|\d{17}/.test(text);
}

/**
 * Reads a JSON number where a shape says what it is: a double, or by all of its digits if it is an int64.
 *
 * @example readNumber(shape, '9007199254740993') // 9007199254740993n
 */
export function readNumber(shape: Shape | undefined, token: string): bigint | number {
  return shape?.isInt64 === true && mayBeRounded(token) ? readInteger(token) : Number(token);
}

/**
 * Reads the text of a number, boolean or string. What does not match its type stays a string, which the validator refuses.
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
 * Reads a JSON number (RFC 8259 section 6) by all of its digits: an integer beyond 2^53 is a bigint, others are doubles. `1.0` and
 * `1e3` are integers, as in JSON Schema. What only its double takes for an integer is NaN, which no schema of numbers accepts.
 *
 * @example readInteger('1.0000000000000000001') // NaN
 */
export function readInteger(token: string): bigint | number {
  const [, sign, integerDigits, fraction = '', exponent = ''] = NUMBER.exec(token) as unknown as NumberParts;
  const digits = integerDigits + fraction;
  // The significant digits are from `start` to `end`: without zeros before and after them.
  // Loops, not patterns: /0+$/ takes quadratic time on a token of a megabyte.
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end--;
  if (start === end) return 0;
  // How many zeros follow the significant digits: 2 for `15e2`; fewer than none for a fraction such as `1.5`.
  const zeros = Number(exponent) - fraction.length + (digits.length - end);
  const double = Number(token);
  if (zeros < 0) return Number.isInteger(double) ? NaN : double;
  // A huge exponent must not make a huge text.
  if (Number.isSafeInteger(double) || end - start + zeros > MAX_DIGITS) return double;
  return BigInt(sign + digits.slice(start, end) + '0'.repeat(zeros));
}

/** Whether an integer is in the range of a format. @example isIntegerOf('int64', 2n ** 63n) // false */
export function isIntegerOf(format: IntegerFormat, value: bigint): boolean {
  const { minimum, maximum } = INTEGER_RANGES[format];
  return value >= minimum && value <= maximum;
}

/** Whether a format is one of integers. @example isIntegerFormat('int32') // true */
export function isIntegerFormat(format: string): format is IntegerFormat {
  return Object.hasOwn(INTEGER_RANGES, format);
}

/**
 * Tells what a number of a format must be.
 *
 * @example describeInteger('int32') // 'must be an integer from -2147483648 to 2147483647'
 */
export function describeInteger(format: IntegerFormat): string {
  const { minimum, maximum } = INTEGER_RANGES[format];
  return `must be an integer from ${String(minimum)} to ${String(maximum)}`;
}

/** Whether a value has a bigint at any depth. @example holdsBigint({ ids: [1n] }) // true */
export function holdsBigint(value: unknown): boolean {
  // A list, which grows during the loop: a value may be nested deeper than the stack.
  const values = [value];
  for (const one of values) {
    if (typeof one === 'bigint') return true;
    if (isObjectOrArray(one)) for (const member of Object.values(one)) values.push(member);
  }
  return false;
}

// Sets a member of an object whose names are a client's.
const ORDINARY_MEMBER = { enumerable: true, writable: true, configurable: true };

/**
 * Sets a member of an object from JSON: an assignment to `__proto__` would set the prototype.
 *
 * @example setMember(object, '__proto__', 1)
 */
export function setMember(object: Record<string | number, unknown>, name: string | number, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { ...ORDINARY_MEMBER, value });
  else object[name] = value;
}

/** Gives equal values one key, and only them (JSON Schema, Core, section 4.2.2). */
export type ToValueKey = (value: unknown) => string;

const SHORT = 32;

/**
 * Creates the function for the values of one message. It looks at each object and list once, also where a list in a list in a
 * list has to be unique.
 *
 * @example const keyOf = createValueKeys(); keyOf({ a: 1, b: 2 }) === keyOf({ b: 2, a: 1 }) // true
 */
export function createValueKeys(): ToValueKey {
  const keys = new Map<object, string>();
  // The keys by content; within it, the key of an object or list stands for that object or list.
  const keyByContent = new Map<string, string>();

  return keyOf;

  function keyOf(value: unknown): string {
    // A double beyond 2^53 may stand for several integers, so it is not equal to a bigint.
    if (typeof value === 'bigint') return `${String(value)}n`;
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const cachedKey = keys.get(value);
    if (cachedKey !== undefined) return cachedKey;
    const content = Array.isArray(value)
      ? // By map and join, a short list takes twice as long.
        `[${value.reduce<string>((text, item) => `${text}${keyOf(item)},`, '')}]`
      : // Sorted, as their order does not count.
        `{${Object.entries(value)
          .map(([name, member]) => `${JSON.stringify(name)}:${keyOf(member)}`)
          .sort()
          .join()}}`;
    // A short text is cheaper to make again than to find. Only the keys of objects and lists begin with #, [ or {.
    if (content.length <= SHORT) return content;
    const key = keyByContent.get(content) ?? `#${String(keyByContent.size)}`;
    keyByContent.set(content, key);
    keys.set(value, key);
    return key;
  }
}

/**
 * Whether no two items are equal. `keyOf` is that of the message.
 *
 * @example areUnique([1, 1], createValueKeys()) // false
 */
export function areUnique(items: readonly unknown[], keyOf: ToValueKey): boolean {
  return items.length < 2 || new Set(items.map(keyOf)).size === items.length;
}
