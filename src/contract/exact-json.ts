import { isUtf8 } from 'node:buffer';
import { Refusal } from './errors';
import { hasUnpairedSurrogate } from './unpaired-surrogate';

declare global {
  interface JSON {
    /** ECMAScript's JSON.parse source text access, which TypeScript 5.9 does not list yet. */
    rawJSON(text: string): unknown;
  }
}

/** A JSON text that was read, and every number of it as it was written. */
export interface ExactJson {
  /** As `JSON.parse` gives it: each number a double. */
  readonly value: unknown;
  /**
   * The same value with each number as the string that was written, or undefined where the doubles are exact.
   * Made on demand, since few requests need it.
   */
  readonly tokens: () => unknown;
}

// A fraction, an exponent, or as many digits as a double may round. Inside a string they cost time, not truth.
const INEXACT = /\d[.eE]|\d{16}/;
const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d[\d.eE+-]*/g;

/** @throws Refusal when the bytes are not UTF-8, not JSON (RFC 8259), or have an unpaired surrogate (RFC 7493) */
export function parseExactJson(bytes: Buffer): ExactJson {
  if (!isUtf8(bytes)) throw new Refusal('INVALID_UTF8');
  const text = bytes.toString('utf8');
  const value = parseJson(text);
  return { value, tokens: () => (INEXACT.test(text) ? JSON.parse(quoteNumbers(text)) : undefined) as unknown };
}

/** The JSON text of a value; a bigint is written digit for digit. */
export function toExactJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(member.toString()) : member,
  );
}

function parseJson(text: string): unknown {
  const value = parseAny(text);
  if (hasUnpairedSurrogate(text)) {
    throw new Refusal('MALFORMED_JSON', 'request/body must be Unicode text, without unpaired surrogates');
  }
  return value;
}

function parseAny(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('MALFORMED_JSON');
  }
}

// One pass without backtracking over a text that is known to be JSON, so that a deep or long one costs no stack.
function quoteNumbers(text: string): string {
  let inString = false;
  return text.replace(ESCAPE_QUOTE_OR_NUMBER, (match) => {
    if (match === '"') inString = !inString;
    return inString || match === '"' ? match : `"${match}"`;
  });
}
