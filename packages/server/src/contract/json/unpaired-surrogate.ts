// Finds unpaired surrogates in a JSON text.

const BACKSLASH = '\\';
const PAIR = /\\u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F]/y;
const SURROGATE = /\\u[dD][89a-fA-F]/y;
const PAIR_LENGTH = 12;

/**
 * Whether a name or a string of a JSON text has half of a surrogate pair, so that it is not Unicode (RFC 7493 section 2.1).
 * In valid UTF-8 only an escape sequence such as \ud800 can encode one.
 *
 * @param text valid JSON (RFC 8259), from valid UTF-8
 */
export function hasUnpairedSurrogate(text: string): boolean {
  for (let at = text.indexOf(BACKSLASH); at !== -1; at = text.indexOf(BACKSLASH, at)) {
    if (matchesAt(PAIR, text, at)) at += PAIR_LENGTH;
    else if (matchesAt(SURROGATE, text, at)) return true;
    // The character after a backslash may be a backslash: skip both.
    else at += 2;
  }
  return false;
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
