// Reads and writes JSON without rounding integers.

/** A JSON value without rounding: every integer is a bigint, even if written as 1.0 or 1e3. */
export type Json = null | boolean | string | number | bigint | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** JSON to serialize, which may include a raw token or an object with repeated names. */
export type Wire = null | boolean | string | number | bigint | Raw | Members | readonly Wire[] | WireObject;

export interface WireObject {
  readonly [name: string]: Wire;
}

/** A token that is serialized unchanged, such as `1e3`. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An object as a list of members, whose names may repeat. */
export class Members {
  readonly entries: readonly (readonly [name: string, value: Wire])[];

  constructor(entries: Members['entries']) {
    this.entries = entries;
  }
}

/**
 * Serializes JSON without white space. Unpaired surrogates are escaped as `\ud800`.
 *
 * @example writeJson({ id: 9007199254740993n }) // '{"id":9007199254740993}'
 */
export function writeJson(value: Wire): string {
  if (value instanceof Raw) return value.text;
  if (value instanceof Members) return writeMembers(value.entries);
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) return writeMembers(Object.entries(value));
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

// The deepest nesting to parse (RFC 8259 section 9). Without a limit, a short reply could keep the suite busy for long.
const MAX_DEPTH = 1_000;

/** Parses JSON (RFC 8259) without rounding. Throws a SyntaxError if the text is not JSON or is nested too deeply. */
export function readJson(text: string): Json {
  if (depthOf(text) > MAX_DEPTH) throw new SyntaxError(`it is nested more than ${String(MAX_DEPTH)} levels deep`);
  if (!NEEDS_SOURCE_TEXT.test(text)) return toJson(JSON.parse(text) as Json);
  // The source is the number as written, such as 1.0; `value` has lost the digits beyond a double's precision.
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? readNumber(context?.source ?? String(value)) : value,
  ) as Json;
}

// Matches numbers with more than 15 digits or an exponent. Only these need their source, which is far slower to read.
const NEEDS_SOURCE_TEXT = /\d[\d.]{15}|\d[eE]/;

function depthOf(text: string): number {
  let [depth, deepestLevel, isInString] = [0, 0, false];
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') isInString = !isInString;
    else if (isInString) index += Number(character === '\\');
    else if (character === '[' || character === '{') deepestLevel = Math.max(deepestLevel, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepestLevel;
}

/** Returns the value that a parser would read, with every integer as a bigint. */
export function toJson(value: Wire): Json {
  if (value instanceof Raw || value instanceof Members) return readJson(writeJson(value));
  if (isList(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJson(member)]));
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  // JSON.stringify writes NaN and Infinity as null.
  if (typeof value === 'number') return Number.isFinite(value) ? readNumber(String(value)) : null;
  return value;
}

/** Compares without rounding, and ignores the order of members. */
export function isSame(left: Json | undefined, right: Json | undefined): boolean {
  if (isJsonList(left) && isJsonList(right)) {
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]));
  }
  if (isJsonObject(left) && isJsonObject(right)) {
    const names = Object.keys(left);
    return (
      names.length === Object.keys(right).length &&
      names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name]))
    );
  }
  return left === right;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOrEmpty(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function omit<T>(object: Readonly<Record<string, T>>, ...names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

export function isJsonList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** Visits outer objects first, and stops when `visit` returns true. */
export function someObject(value: unknown, visit: (object: JsonObject) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (isJsonObject(value) && visit(value)) || Object.values(value).some((member) => someObject(member, visit));
}

/** Returns a string unchanged, and any other value as JSON. */
export function toText(value: Json | undefined): string {
  return typeof value === 'string' ? value : writeJson(value ?? null);
}

function isList(value: Wire): value is readonly Wire[] {
  return Array.isArray(value);
}

function writeMembers(entries: Members['entries']): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`).join(',')}}`;
}

// A larger exponent would fill the memory, and a longer number would take seconds to divide.
const MAX_EXPONENT = 1_000;
const MAX_DIGITS = 10_000;

/** Returns a bigint for an integer such as 1.0 or 1e3, unless it has too many digits, as in 1e9999. */
export function readNumber(token: string): bigint | number {
  // The value is digits * 10 ** power: 12.5e3 is 125 * 10 ** 2.
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`;
  const power = Number(exponent) - fraction.length;
  if (/^-?0+$/.test(digits)) return 0n;
  if (Math.abs(power) > MAX_EXPONENT || digits.length > MAX_DIGITS) return Number(token);
  if (power >= 0) return BigInt(digits) * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  const isInteger = BigInt(digits) % divisor === 0n;
  return isInteger ? BigInt(digits) / divisor : Number(token);
}
