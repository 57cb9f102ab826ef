// Finds syntax from other regular expression dialects that JavaScript rejects or interprets differently.

// Matches an escape, a group such as (?:, a possessive quantifier, a quantifier without a minimum, a named class, or a bracket.
const TOKEN =
  /\\(?:[xu]\{[\da-f]+\}|x[\da-f]{2}|u[\da-f]{4}|c[a-z]|[pP]\{[^}]*\}|[^])|\(\?P?(?:[a-z-]+\)|[^])|(?:[*+?]|\{\d+(?:,\d*)?\})\+|\{,\d+\}|\[:\^?[a-z]+:\]|&&\[|[[\]]/giu;
// Matches an escape that JavaScript knows. Without the u flag, the backslash before any other letter is ignored.
const KNOWN_ESCAPE = /^\\(?:[bBdDfknrsStvwW\d]|x[\da-f]|u[\da-f]|c[a-z]|[^a-z])/i;
const PCRE_ESCAPE = /^\\[NR]/;
const NAMED_CLASS = /^\[:\^?(?:alpha|digit|alnum|upper|lower|space|blank|punct|print|graph|cntrl|xdigit|word):\]$/;
// Matches a group that JavaScript does not support, or a possessive quantifier.
const UNSUPPORTED_SYNTAX = /^\(\?(?![:=!<])|^[*+?{].*\+$/;

/**
 * Describes the first foreign syntax in a pattern; undefined if there is none. A pattern that is valid with the u flag has
 * none, because that flag rejects unknown escapes.
 *
 * @example describeForeignSyntax('\\\\A[a-z]+') // '\\\\A is not syntax of JavaScript'
 */
export function describeForeignSyntax(pattern: string): string | undefined {
  const unicodeError = findPatternError(pattern, 'u');
  if (unicodeError === undefined) return undefined;
  // Some foreign syntax is valid without the flag, so the author might mean what JavaScript makes of it.
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
 * Explains why a pattern does not compile with these flags, without quoting it; undefined if it compiles.
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
  if (isInClass) return token === '&&[' || NAMED_CLASS.test(token);
  return token.startsWith('{,') || (!isValid && UNSUPPORTED_SYNTAX.test(token));
}
