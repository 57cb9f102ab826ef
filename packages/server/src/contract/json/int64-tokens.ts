// Reads the int64s of a JSON text digit for digit.
import { toDepthRefusal } from '../refusal/refusal';
import { propertyShape, itemShape, type Shape } from '../document/shape';

// A fraction, an exponent, or enough digits that a double may be rounded. A match inside a string costs only time.
const INEXACT = /\d[.eE]|\d{16}/;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const ENDS = new Set([COMMA, CLOSE_BRACKET, CLOSE_BRACE]);

/**
 * Reads the tokens of a JSON text: its int64s as text, in the same objects and arrays, where their doubles may be rounded.
 * `{ "id": 9007199254740993 }` gives `{ id: '9007199254740993' }`. All other values are left out, so that a large text costs
 * little.
 *
 * @param text valid JSON (RFC 8259); it is not checked again
 * @returns undefined if the doubles are exact
 */
export function readInt64Tokens(shape: Shape | undefined, text: string): unknown {
  if (!shape?.holdsInt64 || !INEXACT.test(text)) return undefined;
  try {
    return createReader(text)(shape);
  } catch (cause) {
    throw cause instanceof RangeError ? toDepthRefusal() : cause;
  }
}

/** Creates a reader that goes through the text once; `at` is its position. */
function createReader(text: string): (shape: Shape | undefined) => unknown {
  let at = 0;
  return read;

  function read(shape: Shape | undefined): unknown {
    const code = toNext();
    if (!shape?.holdsInt64) skip();
    else if (code === OPEN_BRACE) return readObject(shape);
    else if (code === OPEN_BRACKET) return readArray(shape);
    else return readScalar();
    return undefined;
  }

  function readObject(shape: Shape): object {
    // The last of two equal names wins, as in JSON.parse. Without a prototype, __proto__ is an ordinary name.
    const tokens = Object.create(null) as Record<string, unknown>;
    at++;
    while (toNext() !== CLOSE_BRACE) {
      if (text.charCodeAt(at) === COMMA) at++;
      const name = readName();
      const child = propertyShape(shape, name);
      const token = read(child);
      if (child?.holdsInt64) tokens[name] = token;
    }
    at++;
    return tokens;
  }

  function readArray(shape: Shape): unknown[] {
    const tokens: unknown[] = [];
    at++;
    while (toNext() !== CLOSE_BRACKET) {
      if (text.charCodeAt(at) === COMMA) at++;
      tokens.push(read(itemShape(shape, tokens.length)));
    }
    at++;
    return tokens;
  }

  /** Reads a name and the colon after it. */
  function readName(): string {
    toNext();
    const start = at;
    skip();
    const quoted = text.slice(start, at);
    toNext();
    at++;
    return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  }

  function readScalar(): string | undefined {
    const start = at;
    const isNumber = text.charCodeAt(at) !== QUOTE;
    skip();
    const token = text.slice(start, at);
    return isNumber && INEXACT.test(token) ? token : undefined;
  }

  /** Skips space, and returns the code of the next character. */
  function toNext(): number {
    while (text.charCodeAt(at) <= SPACE) at++;
    return text.charCodeAt(at);
  }

  // Skips one value: in a loop, so that it may be nested deeper than the stack.
  function skip(): void {
    let depth = 0;
    do {
      const code = text.charCodeAt(at++);
      if (code === QUOTE) skipString();
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
      else if (depth === 0) skipScalar();
    } while (depth > 0);
  }

  /** Skips the rest of a string whose opening quote was read. */
  function skipString(): void {
    for (let code = 0; code !== QUOTE; at++) {
      code = text.charCodeAt(at);
      if (code === BACKSLASH) at++;
    }
  }

  function skipScalar(): void {
    while (text.charCodeAt(at) > SPACE && !ENDS.has(text.charCodeAt(at))) at++;
  }
}
