// Parses and serializes JSON without rounding int64s.
import { isUtf8 } from 'node:buffer';
import { narrowShape, propertyShape, itemShape, type Shape } from '../4-shape/shape';
import { ExpectedError } from '../text/error-code';
import { mayBeRounded, readNumber, setMember } from './int64';

declare global {
  interface JSON {
    /** Part of ECMAScript's "JSON.parse source text access", which TypeScript 5.9 does not declare yet. */
    rawJSON(text: string): unknown;
  }
}

// Errors in longer texts have no position, because locating an error takes three times as long as JSON.parse.
const MAX_LOCATED_CHARACTERS = 65_536;

/**
 * Parses JSON. Where `shape` has an int64, integers beyond 2^53 become bigints. All other numbers become doubles.
 *
 * @throws JsonError if the text is not UTF-8 or not JSON (RFC 8259), or if it has unpaired surrogates or a number that is too
 *   large for a double (RFC 7493)
 * @example parseExactJson('{"id":9007199254740993}', shape) // { id: 9007199254740993n }
 */
export function parseExactJson(json: Buffer | string, shape: Shape | undefined): unknown {
  const text = readUtf8(json);
  const value = parseJson(text);
  if (MAY_OVERFLOW.test(text) && hasOverflow(value, shape)) throw new JsonError('overflow', TOO_LARGE);
  return setInt64s(shape, value, readInt64Tokens(shape, text));
}

// `tokens` is the result of readInt64Tokens for the text of `value`.
function setInt64s(shape: Shape | undefined, value: unknown, tokens: unknown): unknown {
  if (typeof tokens === 'string') return readNumber(shape, tokens);
  if (!shape || typeof tokens !== 'object' || tokens === null) return value;
  const members = value as Record<string | number, unknown>;
  const narrowed = narrowShape(shape, members);
  for (const key of Array.isArray(tokens) ? tokens.keys() : Object.keys(tokens)) {
    const { [key]: token } = tokens as typeof members;
    if (token === undefined) continue;
    const child = typeof key === 'number' ? itemShape(narrowed, key) : propertyShape(narrowed, key);
    setMember(members, key, setInt64s(child, members[key], token));
  }
  return value;
}

/**
 * Decodes bytes. A string is returned unchanged.
 *
 * @throws JsonError for bytes that are not UTF-8, which Buffer would replace with U+FFFD
 * @example readUtf8(Buffer.from('Rose')) // 'Rose'
 */
export function readUtf8(bytes: Buffer | string): string {
  if (typeof bytes === 'string') return bytes;
  if (!isUtf8(bytes)) throw new JsonError('utf8', 'The text is not UTF-8.');
  return bytes.toString('utf8');
}

// Matches what can overflow: an exponent of three digits, or many digits before a smaller one. The lookbehind keeps this linear.
const MAY_OVERFLOW = /\d[eE]\+?\d{3}|(?<!\d)\d{64}/;
const TOO_LARGE = 'The JSON has a number that is too large for a double.';

/** Whether a number became Infinity (RFC 7493 section 2.2). Int64s are ignored, because the validator checks their range. */
function hasOverflow(root: unknown, rootShape: Shape | undefined): boolean {
  // The list grows during the loop. Recursion would overflow the stack for deeply nested values.
  const members: (readonly [value: unknown, shape: Shape | undefined])[] = [[root, rootShape]];
  for (const [value, shape] of members) {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) members.push([item, itemShape(shape, index)]);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) members.push([member, propertyShape(shape, name)]);
    } else if (value === Infinity || value === -Infinity) {
      if (shape?.isInt64 !== true || shape.allowsOtherNumbers) return true;
    }
  }
  return false;
}

/**
 * Serializes a value as JSON with every digit of its bigints, even if a service has defined BigInt.prototype.toJSON.
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
  } catch {
    const position = text.length < MAX_LOCATED_CHARACTERS ? describePosition(text) : '';
    throw new JsonError('syntax', `The JSON is not well-formed${position}.`);
  }
}

// JSON.parse's own message cannot be used, because it quotes the client's text.
function describePosition(text: string): string {
  const lines = text.slice(0, findJsonError(text)).split('\n');
  const column = String(lines.at(-1)).length + 1;
  return ` at line ${String(lines.length)}, column ${String(column)}`;
}

type ExpectedToken = 'value' | 'name' | ':' | ', or end';

// The tokens of JSON (RFC 8259 sections 2, 6 and 7).
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y;
const SCALAR = new RegExp(`${STRING.source}|true|false|null|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?`, 'y');
const CLOSING_BRACKETS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Returns the index of the first invalid character, such as 10 for `{ "a": 1, }`. JSON.parse reports it only for some errors. */
export function findJsonError(text: string): number {
  // The closing brackets that the open arrays and objects still need, innermost last.
  const closingBrackets: string[] = [];
  let expected: ExpectedToken = 'value';
  let mayBeEmpty = false;
  let index = 0;

  function skip(pattern: RegExp): boolean {
    pattern.lastIndex = index;
    const isMatch = pattern.test(text);
    if (isMatch) index = pattern.lastIndex;
    return isMatch;
  }

  for (;;) {
    skip(SPACE);
    const character = text.charAt(index);
    const closing = CLOSING_BRACKETS[character];
    if (character === closingBrackets.at(-1) && (mayBeEmpty || expected === ', or end')) {
      index += 1;
      closingBrackets.pop();
      expected = ', or end';
    } else if (expected === ':' || expected === ', or end') {
      if (character !== (expected === ':' ? ':' : ',') || closingBrackets.length === 0) return index;
      index += 1;
      expected = expected === ', or end' && closingBrackets.at(-1) === '}' ? 'name' : 'value';
    } else if (expected === 'value' && closing !== undefined) {
      index += 1;
      closingBrackets.push(closing);
      expected = closing === '}' ? 'name' : 'value';
      mayBeEmpty = true;
      continue;
    } else if (skip(expected === 'name' ? STRING : SCALAR)) {
      expected = expected === 'name' ? ':' : ', or end';
    } else {
      return index;
    }
    mayBeEmpty = false;
  }
}

// Matches every escape, because the escaped character can itself be a backslash. The group captures an unpaired surrogate.
const ESCAPES = /\\(?:u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F]|(u[dD][89a-fA-F])|.)/g;
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/** Whether a JSON text has an escape for an unpaired surrogate (RFC 7493 section 2.1). */
export function hasUnpairedSurrogate(text: string): boolean {
  if (!ESCAPED_SURROGATE.test(text)) return false;
  for (const [, unpaired] of text.matchAll(ESCAPES)) if (unpaired !== undefined) return true;
  return false;
}

/**
 * Asserts that the JSON of a reply has no unpaired surrogates. JSON.stringify escapes only them as \ud..., so a search for
 * that prefix is usually enough.
 *
 * @throws Error for an unpaired surrogate
 * @example assertUnicode(JSON.stringify('\ud800')) // throws
 */
export function assertUnicode(json: string): void {
  if (json.includes('\\ud') && hasUnpairedSurrogate(json)) throw new Error('the reply has an unpaired surrogate');
}

const SPACE_CODE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH_CODE = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SCALAR_DELIMITERS = new Set([COMMA, CLOSE_BRACKET, CLOSE_BRACE]);

/**
 * Reads the int64s of a valid JSON text as strings, and omits all other values. For example, `{ "id": 9007199254740993 }`
 * becomes `{ id: '9007199254740993' }`. The result is undefined if a double can hold every number in the text.
 *
 * @throws JsonError if the int64s are nested too deeply for the stack
 */
export function readInt64Tokens(shape: Shape | undefined, text: string): unknown {
  if (!shape?.holdsInt64 || !mayBeRounded(text)) return undefined;
  try {
    return createReader(text)(shape);
  } catch (cause) {
    throw cause instanceof RangeError ? new JsonError('depth', 'The JSON is nested too deeply.') : cause;
  }
}

function createReader(text: string): (shape: Shape | undefined) => unknown {
  let index = 0;
  return read;

  function read(shape: Shape | undefined): unknown {
    const code = skipSpace();
    if (!shape?.holdsInt64) skipValue();
    else if (code === OPEN_BRACE) return readObject(shape);
    else if (code === OPEN_BRACKET) return readArray(shape);
    else return readScalar();
    return undefined;
  }

  function readObject(shape: Shape): object {
    // In an object without a prototype, __proto__ is an ordinary name.
    const tokens = Object.create(null) as Record<string, unknown>;
    index++;
    while (skipSpace() !== CLOSE_BRACE) {
      if (text.charCodeAt(index) === COMMA) index++;
      const name = readName();
      const child = propertyShape(shape, name);
      const token = read(child);
      if (child?.holdsInt64) tokens[name] = token;
    }
    index++;
    return tokens;
  }

  function readArray(shape: Shape): unknown[] {
    const tokens: unknown[] = [];
    index++;
    while (skipSpace() !== CLOSE_BRACKET) {
      if (text.charCodeAt(index) === COMMA) index++;
      tokens.push(read(itemShape(shape, tokens.length)));
    }
    index++;
    return tokens;
  }

  function readName(): string {
    skipSpace();
    const start = index;
    skipValue();
    const quoted = text.slice(start, index);
    skipSpace();
    index++;
    return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  }

  /** Returns the text of a number that a double might round; undefined for any other scalar. */
  function readScalar(): string | undefined {
    const start = index;
    const isString = text.charCodeAt(index) === QUOTE;
    skipValue();
    const token = text.slice(start, index);
    return !isString && mayBeRounded(token) ? token : undefined;
  }

  function skipSpace(): number {
    while (text.charCodeAt(index) <= SPACE_CODE) index++;
    return text.charCodeAt(index);
  }

  // Skips a value in a loop, because recursion would overflow the stack for deeply nested values.
  function skipValue(): void {
    let depth = 0;
    do {
      const code = text.charCodeAt(index++);
      if (code === QUOTE) skipString();
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
      else if (depth === 0) skipScalar();
    } while (depth > 0);
  }

  function skipString(): void {
    for (let code = 0; code !== QUOTE; index++) {
      code = text.charCodeAt(index);
      if (code === BACKSLASH_CODE) index++;
    }
  }

  function skipScalar(): void {
    while (text.charCodeAt(index) > SPACE_CODE && !SCALAR_DELIMITERS.has(text.charCodeAt(index))) index++;
  }
}

/**
 * Thrown if a text is not JSON, or if parsing would change its values. The message never quotes the text.
 *
 * @example if (error instanceof JsonError) console.error(error.message)
 */
export class JsonError extends ExpectedError {
  readonly code = 'INVALID_JSON';
  readonly reason: 'utf8' | 'syntax' | 'unicode' | 'overflow' | 'depth';

  constructor(reason: JsonError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
