// Parses int64s from numbers as they are written.

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const MAX_DIGITS = 19;
const LIMIT = 2 ** 63;
type NumberParts = [token: string, sign: string, whole: string, fraction?: string, exponent?: string];
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Parses a JSON number (RFC 8259 section 6) exactly; `1.0` and `1e3` are integers, as in JSON Schema. Undefined: no int64. */
export function parseInt64(token: string): bigint | undefined {
  const [, sign, whole, fraction = '', exponent = ''] = NUMBER.exec(token) as unknown as NumberParts;
  const digits = whole + fraction;
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
  return isInt64(value) ? value : undefined;
}

/**
 * Whether a number is in the range of int64.
 *
 * @example isInt64(9223372036854775808n) // false
 */
export function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= MIN && value <= MAX;
}

/** Whether a double may stand for an int64: it may also stand for a number just beyond the range. */
export function isNearInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= LIMIT;
}
