// Parses and writes JSON with exact int64s.
import { isUtf8 } from 'node:buffer';
import { isObjectOrArray } from '../2-resolve/schema';
import { propertyShape, itemShape, narrowShape, type Shape } from '../4-shape/shape';

declare global {
  interface JSON {
    /** ECMAScript's JSON.parse source text access, which TypeScript 5.9 does not list yet. */
    rawJSON(text: string): unknown;
  }
}

interface ExactJson {
  /** The value that `JSON.parse` returns: each number is a double. */
  readonly value: unknown;
  /** The same structure with the text of each int64 (see readInt64Tokens); undefined if the doubles are exact. */
  readonly literals: unknown;
}

// In larger texts the error is not located, which would take three times as long as JSON.parse.
const MAX_LOCATED_CHARACTERS = 65_536;

/**
 * `shape` tells where int64s are.
 *
 * @throws JsonError for what is not UTF-8, JSON (RFC 8259), or Unicode text and doubles (RFC 7493)
 * @example parseExactJson(Buffer.from('{"id":9007199254740993}'), shape).literals // { id: '9007199254740993' }
 */
export function parseExactJson(bytes: Buffer, shape: Shape | undefined): ExactJson {
  const text = readUtf8(bytes);
  const value = parseJson(text);
  if (MAY_OVERFLOW.test(text) && hasOverflow(value, shape)) throw new JsonError('overflow', TOO_LARGE);
  return { value, literals: readInt64Tokens(shape, text, value) };
}

/**
 * The text of bytes.
 *
 * @throws JsonError when they are not UTF-8, which Buffer would replace by U+FFFD
 * @example readUtf8(Buffer.from('Rose')) // 'Rose'
 */
export function readUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new JsonError('utf8', 'The text is not UTF-8.');
  return bytes.toString('utf8');
}

// Three digits of an exponent, or so many others that a smaller exponent may do. The lookbehind keeps the search linear.
const MAY_OVERFLOW = /\d[eE]\+?\d{3}|(?<!\d)\d{64}/;
const TOO_LARGE = 'The JSON has a number that is too large for a double.';

/** Whether JSON.parse made Infinity of a number (RFC 7493 section 2.2), but for an int64: that has a range, checked elsewhere. */
function hasOverflow(root: unknown, rootShape: Shape | undefined): boolean {
  // A list, which grows during the loop: a value may be nested deeper than the stack.
  const members: (readonly [value: unknown, shape: Shape | undefined])[] = [[root, rootShape]];
  for (const [value, shape] of members) {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) members.push([item, itemShape(shape, index)]);
    } else if (typeof value === 'object' && value !== null) {
      const alternative = shape && narrowShape(shape, value);
      for (const [name, member] of Object.entries(value)) members.push([member, propertyShape(alternative, name)]);
    } else if (value === Infinity || value === -Infinity) {
      if (shape?.isInt64 !== true || shape.allowsOtherNumbers) return true;
    }
  }
  return false;
}

/**
 * The JSON text of a value; a bigint is written digit for digit, also where a service gave all bigints a `toJSON`.
 *
 * @example toExactJson({ id: 2n ** 53n + 1n }) // '{"id":9007199254740993}'
 */
export function toExactJson(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, member: unknown) {
    const { [key]: exact } = this;
    return typeof exact === 'bigint' ? JSON.rawJSON(exact.toString()) : member;
  });
}

function parseJson(text: string): unknown {
  const value = parseSyntax(text);
  if (hasUnpairedSurrogate(text)) throw new JsonError('unicode', 'The JSON has an unpaired surrogate.');
  return value;
}

function parseSyntax(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = text.length < MAX_LOCATED_CHARACTERS ? describePosition(text, error as Error) : '';
    throw new JsonError('syntax', `The JSON is not well-formed${position}.`);
  }
}

// Describes only the position of the syntax error: the message of JSON.parse quotes what the client sent.
function describePosition(text: string, error: Error): string {
  const lines = text.slice(0, findPosition(text, error)).split('\n');
  const column = String(lines.at(-1)).length + 1;
  return ` at line ${String(lines.length)}, column ${String(column)}`;
}

/** The index of the wrong character: 10 in `{ "a": 1, }`. JSON.parse tells it of all but an unexpected token, or end. */
function findPosition(text: string, { message }: Error): number {
  const [, told] = / JSON at position (\d+) \(line \d+ column \d+\)$/.exec(message) ?? [];
  if (told !== undefined) return Number(told);
  // Without its token, a text is right as far as it goes, or wrong at its end.
  let [right, wrong] = [0, text.length + 1];
  while (wrong - right > 1) {
    const length = Math.floor((right + wrong) / 2);
    if (hasUnexpectedToken(text.slice(0, length))) wrong = length;
    else right = length;
  }
  return right;
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return (error as Error).message.startsWith('Unexpected token');
  }
}

// Each escape, for the character after a backslash may be a backslash; the group is a surrogate that has no other half.
const ESCAPES = /\\(?:u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F]|(u[dD][89a-fA-F])|.)/g;
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/** Such a text is not Unicode (RFC 7493 section 2.1). In valid UTF-8 only an escape such as \ud800 can encode a surrogate. */
export function hasUnpairedSurrogate(text: string): boolean {
  if (!ESCAPED_SURROGATE.test(text)) return false;
  for (const [, unpaired] of text.matchAll(ESCAPES)) if (unpaired !== undefined) return true;
  return false;
}

/**
 * Asserts that the JSON text of a reply is Unicode. JSON.stringify writes an unpaired surrogate, and nothing else, as \ud...: most
 * texts are searched once, for that alone.
 *
 * @throws Error for an unpaired surrogate
 * @example assertUnicode(JSON.stringify('\ud800')) // throws
 */
export function assertUnicode(json: string): void {
  if (json.includes('\\ud') && hasUnpairedSurrogate(json)) throw new Error('the reply has an unpaired surrogate');
}

// A fraction, an exponent, or enough digits that a double may be rounded. A match inside a string costs only time.
const MAY_BE_ROUNDED = /\d[.eE]|\d{16}/;

/**
 * Reads the tokens of a JSON text, whose `value` JSON.parse has read: its int64s as text, in the same objects and arrays, where
 * their doubles may be rounded. `{ "id": 9007199254740993 }` gives `{ id: '9007199254740993' }`. Undefined if the doubles are exact.
 *
 * @throws JsonError when it is nested deeper than the stack
 */
export function readInt64Tokens(shape: Shape | undefined, text: string, value: unknown): unknown {
  if (!shape?.holdsInt64 || !MAY_BE_ROUNDED.test(text)) return undefined;
  try {
    return pickInt64s(shape, value, JSON.parse(quoteNumbers(text)));
  } catch (cause) {
    throw cause instanceof RangeError ? new JsonError('depth', 'The JSON is nested too deeply.') : cause;
  }
}

// A string, or a number whose double may be rounded.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)|\d{16,}/g;
const IN_NUMBER = /[\d.eE+-]/;

// Makes strings of such numbers. A reviver of JSON.parse takes many times as long, and needs a stack.
function quoteNumbers(text: string): string {
  const parts: string[] = [];
  let index = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.test(text)) {
    const end = TOKEN.lastIndex;
    if (text.charAt(end - 1) === '"') continue;
    let start = end;
    while (IN_NUMBER.test(text.charAt(start - 1))) start--;
    parts.push(text.slice(index, start), text.slice(start, end));
    index = end;
  }
  return [...parts, text.slice(index)].join('"');
}

function pickInt64s(shape: Shape | undefined, value: unknown, tokens: unknown): unknown {
  if (!shape?.holdsInt64) return undefined;
  if (!isObjectOrArray(value)) return typeof value === 'number' && typeof tokens === 'string' ? tokens : undefined;
  const members = tokens as Readonly<Record<string, unknown>>;
  if (Array.isArray(value))
    return value.map((item, index) => pickInt64s(itemShape(shape, index), item, members[index]));
  // Without a prototype, a name such as `constructor` has no token but its own.
  const picked = Object.create(null) as Record<string, unknown>;
  for (const [name, member] of Object.entries(value))
    picked[name] = pickInt64s(propertyShape(shape, name), member, members[name]);
  return picked;
}

/**
 * A text is not JSON that can be read exactly. The message is a sentence that quotes nothing of the text.
 *
 * @example if (error instanceof JsonError) console.error(error.message)
 */
export class JsonError extends Error {
  readonly code = 'INVALID_JSON';
  /** Which rule is broken: encoding, grammar (RFC 8259), unpaired surrogates or numbers beyond a double (RFC 7493), or depth. */
  readonly reason: 'utf8' | 'syntax' | 'unicode' | 'overflow' | 'depth';

  constructor(reason: JsonError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
