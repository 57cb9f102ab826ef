// Finds unpaired surrogates in a JSON text.

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
