// Parses and writes JSON with exact int64s.
import { isUtf8 } from 'node:buffer';
import { Refusal } from '../refusal/refusal';
import { findJsonError } from './find-json-error';
import { readInt64Tokens } from './int64-tokens';
import type { Shape } from '../document/shape';
import { hasUnpairedSurrogate } from './unpaired-surrogate';

declare global {
  interface JSON {
    /** ECMAScript's JSON.parse source text access, which TypeScript 5.9 does not list yet. */
    rawJSON(text: string): unknown;
  }
}

/** A parsed JSON text. */
export interface ExactJson {
  /** As `JSON.parse` gives it: each number a double. */
  readonly value: unknown;
  /** The same, with int64s as they were written; undefined if the doubles are exact. */
  readonly tokens: unknown;
}

// Of larger texts only JSON.parse looks for the mistake: looking again takes three times as long.
const MAX_EXPLAINED = 65_536;

/** @throws Refusal when the bytes are not UTF-8, not JSON (RFC 8259), or have an unpaired surrogate (RFC 7493) */
export function parseExactJson(bytes: Buffer, shape: Shape | undefined): ExactJson {
  if (!isUtf8(bytes)) throw new Refusal('INVALID_UTF8');
  const text = bytes.toString('utf8');
  return { value: parseJson(text), tokens: readInt64Tokens(shape, text) };
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
    throw new Refusal('MALFORMED_JSON', 'request/body must be Unicode text, without unpaired surrogates', {
      rule: 'unicode',
    });
  }
  return value;
}

function parseAny(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('MALFORMED_JSON', text.length < MAX_EXPLAINED ? describePlace(text) : undefined);
  }
}

// Never a word of the text, as the message of JSON.parse has it.
function describePlace(text: string): string {
  const lines = text.slice(0, findJsonError(text)).split('\n');
  const column = String(lines.at(-1)).length + 1;
  return `The JSON is not well-formed at line ${String(lines.length)}, column ${String(column)}.`;
}
