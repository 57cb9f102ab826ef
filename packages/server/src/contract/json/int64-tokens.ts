// Reads the int64s of a JSON text digit for digit.
import { JsonError } from './json-error';
import { propertyShape, itemShape, type Shape } from '../document/shape';

// A fraction, an exponent, or enough digits that a double may be rounded. A match inside a string costs only time.
const MAY_BE_ROUNDED = /\d[.eE]|\d{16}/;

const SPACE_CODE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH_CODE = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const ENDS_OF_SCALARS = new Set([COMMA, CLOSE_BRACKET, CLOSE_BRACE]);

/**
 * Reads the tokens of a valid JSON text: its int64s as text, in the same objects and arrays, where their doubles may be rounded.
 * `{ "id": 9007199254740993 }` gives `{ id: '9007199254740993' }`. All other values are left out, so that a large text costs
 * little. Undefined if the doubles are exact.
 *
 * @throws JsonError when it is nested deeper than the stack
 */
export function readInt64Tokens(shape: Shape | undefined, text: string): unknown {
  if (!shape?.holdsInt64 || !MAY_BE_ROUNDED.test(text)) return undefined;
  try {
    return createReader(text)(shape);
  } catch (cause) {
    throw cause instanceof RangeError ? new JsonError('depth', 'the JSON is nested too deeply') : cause;
  }
}

function createReader(text: string): (shape: Shape | undefined) => unknown {
  let index = 0;
  return read;

  // Undefined if the value has no tokens. One without int64s is skipped.
  function read(shape: Shape | undefined): unknown {
    const code = skipSpace();
    if (!shape?.holdsInt64) skipValue();
    else if (code === OPEN_BRACE) return readObject(shape);
    else if (code === OPEN_BRACKET) return readArray(shape);
    else return readScalar();
    return undefined;
  }

  function readObject(shape: Shape): object {
    // The last of two equal names wins, as in JSON.parse. Without a prototype, __proto__ is an ordinary name.
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

  /** Reads a name and the colon after it. */
  function readName(): string {
    skipSpace();
    const start = index;
    skipValue();
    const quoted = text.slice(start, index);
    skipSpace();
    index++;
    return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  }

  /** Returns a number as it is written if its double may be rounded; undefined for any other scalar. */
  function readScalar(): string | undefined {
    const start = index;
    const isString = text.charCodeAt(index) === QUOTE;
    skipValue();
    const token = text.slice(start, index);
    return !isString && MAY_BE_ROUNDED.test(token) ? token : undefined;
  }

  /** Skips white space, and returns the code of the next character. */
  function skipSpace(): number {
    while (text.charCodeAt(index) <= SPACE_CODE) index++;
    return text.charCodeAt(index);
  }

  // Skips one value: in a loop, so that it may be nested deeper than the stack. `depth` counts open objects and arrays.
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

  /** Skips the rest of a string, with its closing quote. A backslash takes the next character with it, such as a quote. */
  function skipString(): void {
    for (let code = 0; code !== QUOTE; index++) {
      code = text.charCodeAt(index);
      if (code === BACKSLASH_CODE) index++;
    }
  }

  function skipScalar(): void {
    while (text.charCodeAt(index) > SPACE_CODE && !ENDS_OF_SCALARS.has(text.charCodeAt(index))) index++;
  }
}
