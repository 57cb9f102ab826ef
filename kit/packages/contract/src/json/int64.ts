// int64s by their digits, and values that have them.
import { INTEGER_RANGES, type Int64Format } from '../4-shape/exact-rules';
import { mapValues } from '../2-resolve/schema';

const MAX_DIGITS = 20;
type NumberParts = [token: string, sign: string, whole: string, fraction?: string, exponent?: string];
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses a JSON number (RFC 8259 section 6) exactly; `1.0` and `1e3` are integers, as in JSON Schema. Undefined: no int64.
 *
 * @example parseInt64('1e3') // 1000n
 */
export function parseInt64(token: string, format: Int64Format = 'int64'): bigint | undefined {
  const [, sign, integerDigits, fraction = '', exponent = ''] = NUMBER.exec(token) as unknown as NumberParts;
  const digits = integerDigits + fraction;
  // The significant digits are from `start` to `end`: without zeros before and after them.
  // Loops, not patterns: /0+$/ takes quadratic time on a token of a megabyte.
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end--;
  if (start === end) return 0n;
  // How many zeros follow the significant digits: 2 for `15e2`; fewer than none for a fraction such as `1.5`.
  const zeros = Number(exponent) - fraction.length + (digits.length - end);
  // A huge exponent must not make a huge text.
  if (zeros < 0 || end - start + zeros > MAX_DIGITS) return undefined;
  const value = BigInt(sign + digits.slice(start, end) + '0'.repeat(zeros));
  return isInt64(value, format) ? value : undefined;
}

/**
 * Whether a number is in the range of int64.
 *
 * @example isInt64(9223372036854775808n) // false
 */
export function isInt64(value: unknown, format: Int64Format = 'int64'): value is bigint {
  const { minimum, maximum } = INTEGER_RANGES[format];
  return typeof value === 'bigint' && value >= minimum && value <= maximum;
}

/**
 * Tells what a number of an integer format must be; undefined for any other format.
 *
 * @example describeInteger('int32') // 'must be an integer from -2147483648 to 2147483647'
 */
export function describeInteger(format: string): string | undefined {
  if (!Object.hasOwn(INTEGER_RANGES, format)) return undefined;
  const { minimum, maximum } = INTEGER_RANGES[format as IntegerFormat];
  return `must be an integer from ${String(minimum)} to ${String(maximum)}`;
}

type IntegerFormat = keyof typeof INTEGER_RANGES;

// Of int64 and uint64, the largest integer and the number after it have the same double.
const DOUBLE_RANGES = mapValues(INTEGER_RANGES, ({ minimum, maximum }) => {
  return { minimum: Number(minimum), maximum: Number(maximum) };
}) as unknown as Readonly<Record<IntegerFormat, Readonly<Record<'minimum' | 'maximum', number>>>>;

/**
 * Whether a double may stand for an integer of a format: of an int64, it may also stand for a number just beyond the range.
 *
 * @example isNearInteger(2 ** 63, 'int64') // true
 */
export function isNearInteger(value: number, format: IntegerFormat): boolean {
  const { minimum, maximum } = DOUBLE_RANGES[format];
  return Number.isInteger(value) && value >= minimum && value <= maximum;
}

// Sets a member of an object whose names are a client's.
const ORDINARY_MEMBER = { enumerable: true, writable: true, configurable: true };

/**
 * Sets a member of an object from JSON: an assignment to `__proto__` would set the prototype.
 *
 * @example setMember(object, '__proto__', 1)
 */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { ...ORDINARY_MEMBER, value });
  else object[name] = value;
}

/** Gives equal values one key, and only them (JSON Schema, Core, section 4.2.2). `token` has the digits of int64s as text. */
export type ToValueKey = (value: unknown, token?: unknown) => string;

// Of lists whose int64s are doubles: the same structure with these as text or bigint.
const EXACT_MEMBERS = new WeakMap<object, unknown>();

/**
 * Remembers the int64s of each list in a value, which are doubles there: `exact` has the same structure.
 *
 * @example rememberExact([2 ** 53], ['9007199254740993'])
 */
export function rememberExact(value: unknown, exact: unknown): void {
  if (typeof value !== 'object' || value === null || typeof exact !== 'object' || exact === null) return;
  if (Array.isArray(value)) EXACT_MEMBERS.set(value, exact);
  const keys = Array.isArray(exact) ? exact.keys() : Object.keys(exact);
  for (const key of keys) rememberExact(memberOf(value, key), memberOf(exact, key));
}

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

  function keyOf(value: unknown, token?: unknown): string {
    if (typeof value === 'number' && typeof token === 'bigint') return String(token);
    // A number that is no int64 is compared by its double.
    if (typeof value === 'number' && typeof token === 'string')
      return String(parseInt64(token) ?? parseInt64(token, 'uint64') ?? value);
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const cachedKey = keys.get(value);
    if (cachedKey !== undefined) return cachedKey;
    const exact = token ?? EXACT_MEMBERS.get(value);
    const content = Array.isArray(value)
      ? // By map and join, a short list takes twice as long.
        `[${value.reduce<string>((text, item, index) => `${text}${keyOf(item, memberOf(exact, index))},`, '')}]`
      : // Sorted, as their order does not count.
        `{${listMembers(value, exact).sort().join()}}`;
    // A short text is cheaper to make again than to find. Only the keys of objects and lists begin with #, [ or {.
    if (content.length <= SHORT) return content;
    const key = keyByContent.get(content) ?? `#${String(keyByContent.size)}`;
    keyByContent.set(content, key);
    keys.set(value, key);
    return key;
  }

  function listMembers(value: object, token: unknown): string[] {
    const members = Object.entries(value) as [name: string, member: unknown][];
    return members.map(([name, member]) => `${JSON.stringify(name)}:${keyOf(member, memberOf(token, name))}`);
  }
}

/**
 * Whether no two items are equal: by all digits of int64s that rememberExact has. `keyOf` is that of the message.
 *
 * @example areUnique([1, 1], createValueKeys()) // false
 */
export function areUnique(items: readonly unknown[], keyOf: ToValueKey): boolean {
  const exact = EXACT_MEMBERS.get(items);
  return new Set(items.map((item, index) => keyOf(item, memberOf(exact, index)))).size === items.length;
}

function memberOf(members: unknown, key: string | number): unknown {
  return (members as Readonly<Record<string | number, unknown>> | undefined)?.[key];
}
