// Finds syntax of other regular expression dialects in a pattern, which JavaScript rejects or reads differently.

// An escape, a group with a question mark, a possessive or open quantifier, a named class, or a bracket.
const TOKEN =
  /\\(?:[xu]\{[\da-f]+\}|x[\da-f]{2}|u[\da-f]{4}|c[a-z]|[pP]\{[^}]*\}|[^])|\(\?P?(?:[a-z-]+\)|[^])|(?:[*+?]|\{\d+(?:,\d*)?\})\+|\{,\d+\}|\[:\^?[a-z]+:\]|&&\[|[[\]]/giu;
// Without the flag u, JavaScript reads a backslash before any other letter as that letter.
const KNOWN_ESCAPE = /^\\(?:[bBdDfknrsStvwW\d]|x[\da-f]|u[\da-f]|c[a-z]|[^a-z])/i;
const PCRE_ESCAPE = /^\\[NR]/;
const CLASS_BY_NAME = /^\[:\^?(?:alpha|digit|alnum|upper|lower|space|blank|punct|print|graph|cntrl|xdigit|word):\]$/;
// A group that JavaScript does not support, or a possessive quantifier.
const GROUP_OR_REPEAT = /^\(\?(?![:=!<])|^[*+?{].*\+$/;

/**
 * Describes the first foreign syntax in a pattern; undefined if there is none. A pattern that is valid with the flag u has none,
 * because the flag rejects unknown escapes.
 *
 * @example describeForeignSyntax('\\\\A[a-z]+') // '\\\\A is not syntax of JavaScript'
 */
export function describeForeignSyntax(pattern: string): string | undefined {
  const unicodeError = findPatternError(pattern, 'u');
  if (unicodeError === undefined) return undefined;
  // Without the flag, some foreign syntax is valid, and may be what the author means.
  const isValid = findPatternError(pattern, '') === undefined;
  let isInClass = false;
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (/^\\(?:[pP]|u\{)/.test(token))
      return `${token} needs the flag u, which does not allow this pattern (${unicodeError}); escape only what needs a backslash`;
    if (isForeign(token, isInClass, isValid)) return `${token} is not syntax of JavaScript`;
    if (token === '[' || token === ']') isInClass = token === '[';
  }
  return undefined;
}

/**
 * Returns why a pattern does not compile with these flags, without the pattern itself; undefined if it compiles.
 *
 * @example findPatternError('\\@', 'u') // 'Invalid escape'
 */
export function findPatternError(pattern: string, flags: string): string | undefined {
  try {
    new RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^.*: /s, '');
  }
}

function isForeign(token: string, isInClass: boolean, isValid: boolean): boolean {
  if (token.startsWith('\\')) return PCRE_ESCAPE.test(token) || !KNOWN_ESCAPE.test(token);
  if (isInClass) return token === '&&[' || CLASS_BY_NAME.test(token);
  return token.startsWith('{,') || (!isValid && GROUP_OR_REPEAT.test(token));
}
