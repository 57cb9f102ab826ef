// Parses and writes JSON with exact int64s.
import { isUtf8 } from 'node:buffer';
import { JsonError } from './json-error';
import { readInt64Tokens } from './int64-tokens';
import type { Shape } from '../document/shape';

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

/** `shape` tells where int64s are. @throws JsonError for what is not UTF-8, JSON (RFC 8259) or Unicode text (RFC 7493) */
export function parseExactJson(bytes: Buffer, shape: Shape | undefined): ExactJson {
  if (!isUtf8(bytes)) throw new JsonError('utf8', 'the text is not UTF-8');
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
  const value = parseSyntax(text);
  if (hasUnpairedSurrogate(text)) throw new JsonError('unicode', 'the JSON has an unpaired surrogate');
  return value;
}

function parseSyntax(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonError('syntax', text.length < MAX_LOCATED_CHARACTERS ? describePosition(text) : '');
  }
}

// Tells where malformed JSON is wrong, and no more: the message of JSON.parse quotes what the client sent.
function describePosition(text: string): string {
  const lines = text.slice(0, findJsonError(text)).split('\n');
  const column = String(lines.at(-1)).length + 1;
  return `The JSON is not well-formed at line ${String(lines.length)}, column ${String(column)}.`;
}

/** What the text must have next: a value, a name, a colon, or a comma or closing bracket. */
type Expected = 'value' | 'name' | ':' | ', or end';

// RFC 8259 sections 2, 6 and 7.
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y;
const SCALAR = new RegExp(`${STRING.source}|true|false|null|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?`, 'y');
const CLOSING_BRACKETS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** The index of the wrong character: 10 in `{ "a": 1, }`. JSON.parse tells it only for some mistakes, and quotes the text. */
export function findJsonError(text: string): number {
  // The closing brackets that the open arrays and objects need, the innermost last.
  const open: string[] = [];
  let expected: Expected = 'value';
  // Whether the last character opened an array or object, which may be empty: a closing bracket may follow at once.
  let mayBeEmpty = false;
  let index = 0;

  /** Moves behind a match of the pattern at `index`; false if there is none. */
  function skip(pattern: RegExp): boolean {
    pattern.lastIndex = index;
    const isMatch = pattern.test(text);
    if (isMatch) index = pattern.lastIndex;
    return isMatch;
  }

  while (skip(SPACE) && index < text.length) {
    const character = String(text[index]);
    const closing = CLOSING_BRACKETS[character];
    if (character === open.at(-1) && (mayBeEmpty || expected === ', or end')) {
      index += 1;
      open.pop();
      expected = ', or end';
    } else if (expected === ':' || expected === ', or end') {
      // Without an open array or object, the text had to end.
      if (character !== (expected === ':' ? ':' : ',') || open.length === 0) return index;
      index += 1;
      expected = expected === ', or end' && open.at(-1) === '}' ? 'name' : 'value';
    } else if (expected === 'value' && closing !== undefined) {
      index += 1;
      open.push(closing);
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
  return index;
}

const BACKSLASH = '\\';
// An escaped high surrogate with the beginning of the low one after it, and either alone.
const PAIR = /\\u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F]/y;
const SURROGATE = /\\u[dD][89a-fA-F]/y;
const PAIR_LENGTH = '\\ud83c\\udf39'.length;

/** Such a text is not Unicode (RFC 7493 section 2.1). In valid UTF-8 only an escape such as \ud800 can encode a surrogate. */
export function hasUnpairedSurrogate(text: string): boolean {
  for (let index = text.indexOf(BACKSLASH); index !== -1; index = text.indexOf(BACKSLASH, index)) {
    if (matchesAt(PAIR, text, index)) index += PAIR_LENGTH;
    else if (matchesAt(SURROGATE, text, index)) return true;
    // Any other escape: the character after a backslash may be a backslash, so skip both.
    else index += 2;
  }
  return false;
}

/**
 * Asserts that the JSON text of a reply is Unicode. JSON.stringify writes an unpaired surrogate, and nothing else, as \ud...: most
 * texts are searched once, for that alone.
 *
 * @throws Error for an unpaired surrogate
 */
export function assertUnicode(written: string): void {
  if (written.includes('\\ud') && hasUnpairedSurrogate(written)) throw new Error('the reply has an unpaired surrogate');
}

/** Whether a sticky pattern (flag y) matches at just this index. */
function matchesAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index;
  return pattern.test(text);
}
