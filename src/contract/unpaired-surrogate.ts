const SURROGATE = /\\u[dD][89a-fA-F]/;
const SURROGATE_HERE = new RegExp(SURROGATE, 'y');
const PAIR_HERE = /\\u[dD][89abAB]..\\u[dD][c-fC-F]/y;

/**
 * Whether a JSON text has an escaped surrogate that is not half of a pair, in a value or a name: that is no Unicode text
 * (RFC 7493 section 2.1). In UTF-8 none can stand by itself.
 *
 * @param text that is known to be JSON
 */
export function hasUnpairedSurrogate(text: string): boolean {
  if (!SURROGATE.test(text)) return false;
  for (let index = text.indexOf('\\'); index !== -1; index = text.indexOf('\\', index)) {
    if (text[index + 1] !== 'u') index += 2;
    else if (isAt(PAIR_HERE, text, index)) index += 12;
    else if (isAt(SURROGATE_HERE, text, index)) return true;
    else index += 6;
  }
  return false;
}

function isAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index;
  return pattern.test(text);
}
