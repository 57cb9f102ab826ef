// Finds syntax of other languages in a pattern, which JavaScript refuses, or reads otherwise than its author meant.

// An escape with what belongs to it, a group with a question mark, a quantifier, the name of a class, or a bracket.
const TOKEN =
  /\\(?:[xu]\{[\da-f]+\}|x[\da-f]{2}|u[\da-f]{4}|c[a-z]|[pP]\{[^}]*\}|[^])|\(\?P?(?:[a-z-]+\)|[^])|(?:[*+?]|\{\d+(?:,\d*)?\})\+|\{,\d+\}|\[:\^?[a-z]+:\]|&&\[|[[\]]/giu;
// Without the flag u, JavaScript takes any other letter behind a backslash for the letter itself.
const KNOWN_ESCAPE = /^\\(?:[bBdDfknrsStvwW\d]|x[\da-f]|u[\da-f]|c[a-z]|[^a-z])/i;

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '\\A': 'write ^', '\\z': 'write $', '\\Z': 'write $', '\\h': 'write [ \\t]', '\\H': 'write [^ \\t]' },
  ...{ '\\R': 'write \\r?\\n', '\\a': 'write \\x07', '\\e': 'write \\x1b', '\\N': 'write .' },
};
const CLASSES: Readonly<Record<string, string>> = {
  ...{ alpha: 'A-Za-z', digit: '0-9', alnum: 'A-Za-z0-9', upper: 'A-Z', lower: 'a-z', space: '\\s', blank: ' \\t' },
  ...{
    punct: '!-\\/:-@\\[-`{-~',
    print: ' -~',
    graph: '!-~',
    cntrl: '\\0-\\x1f\\x7f',
    xdigit: '0-9A-Fa-f',
    word: '\\w',
  },
};

/**
 * Describes the first syntax of another language in a pattern, with what to write instead; undefined if there is none. A
 * pattern that is valid with the flag u has none: the flag gives each escape a meaning, or refuses it.
 *
 * @example describeForeignSyntax('\\\\A[a-z]+') // '\\\\A is not syntax of JavaScript: write ^'
 */
export function describeForeignSyntax(pattern: string): string | undefined {
  const unicodeError = findPatternError(pattern, 'u');
  if (unicodeError === undefined) return undefined;
  // Valid without the flag: what the flag refuses may be meant as it stands.
  const isValid = findPatternError(pattern, '') === undefined;
  let isInClass = false;
  for (const [token] of pattern.matchAll(TOKEN)) {
    const advice = token.startsWith('\\') ? adviseEscape(token, unicodeError) : adviseOther(token, isInClass, isValid);
    if (advice !== undefined) return `${token} is not syntax of JavaScript: ${advice}`;
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

function adviseEscape(token: string, unicodeError: string): string | undefined {
  if (/^\\(?:[pP]|u\{)/.test(token))
    return `it needs the flag u, which does not allow this pattern (${unicodeError}); escape only what needs a backslash`;
  if (token.startsWith('\\x{')) return `write \\u${token.slice(2)}`;
  return ESCAPES[token] ?? (KNOWN_ESCAPE.test(token) ? undefined : 'write the characters that it stands for');
}

function adviseOther(token: string, isInClass: boolean, isValid: boolean): string | undefined {
  const [, negation, name = ''] = /^\[:(\^?)([a-z]+):\]$/.exec(token) ?? [];
  if (isInClass) {
    if (token === '&&[') return 'write one class with the characters that are in both';
    const characters = CLASSES[name];
    if (characters === undefined) return undefined;
    return negation === '^' ? 'write the other characters' : `write ${characters} inside the brackets`;
  }
  if (token.startsWith('{,')) return `write {0${token.slice(1)}`;
  if (isValid) return undefined;
  if (token.startsWith('(?P')) return 'write (?<name>...) for a group, and \\k<name> to refer to it';
  if (token.startsWith('(?>')) return 'write (?:...)';
  if (/^\(\?[a-z-]*i[a-z-]*\)$/.test(token)) return 'write both cases, such as [Aa]';
  if (/^\(\?(?![:=!<])/.test(token)) return 'write the pattern without it';
  return /^[*+?{].*\+$/.test(token) ? 'remove the plus sign at its end' : undefined;
}
