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

export interface ExactJson {
  /** As `JSON.parse` gives it: each number a double. */
  readonly value: unknown;
  /** The same structure with the text of each int64 (see readInt64Tokens); undefined if the doubles are exact. */
  readonly tokens: unknown;
}

// In larger texts the mistake is not located: that takes three times as long as JSON.parse.
const MAX_LOCATED_CHARACTERS = 65_536;

/** `shape` tells where int64s are. @throws Refusal for what is not UTF-8, JSON (RFC 8259) or Unicode text (RFC 7493) */
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
  const value = parseOrRefuse(text);
  if (hasUnpairedSurrogate(text)) {
    throw new Refusal('MALFORMED_JSON', 'request/body must be Unicode text, without unpaired surrogates', {
      rule: 'unicode',
    });
  }
  return value;
}

function parseOrRefuse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('MALFORMED_JSON', text.length < MAX_LOCATED_CHARACTERS ? describePosition(text) : undefined);
  }
}

// Tells where malformed JSON is wrong, and no more: the message of JSON.parse quotes what the client sent.
function describePosition(text: string): string {
  const lines = text.slice(0, findJsonError(text)).split('\n');
  const column = String(lines.at(-1)).length + 1;
  return `The JSON is not well-formed at line ${String(lines.length)}, column ${String(column)}.`;
}
