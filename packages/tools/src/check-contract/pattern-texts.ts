/**
 * Makes texts to try a pattern on: the same short ones for every pattern, and some that it is likely to match, with
 * characters beyond U+FFFF where it allows them. It knows groups, classes and repeats; for anything else in a pattern,
 * a text may not match.
 */
export function makeSampleTexts(pattern: string): string[] {
  const characters = [BEYOND_U_FFFF, ...listCharactersOf(pattern), ...ASCII];
  // Of a class, the first of these that it has is written: once a character beyond U+FFFF, and once one of ASCII.
  const preferences = [characters, [...ASCII, ...characters]];
  const likelyMatches = preferences.flatMap((preferred) =>
    (['least', 'half', 'most'] as const).map((repeatCount) => writeText(pattern, preferred, repeatCount)),
  );
  const texts = [...new Set([...SHORT_TEXTS, ...likelyMatches])];
  // No request has a lone surrogate: UTF-8 cannot encode it.
  return texts.filter((text) => !/\p{Surrogate}/u.test(text) && text.length < MAX_TEXT_LENGTH);
}

const BEYOND_U_FFFF = '\u{1f339}';
const SHORT_TEXTS = [BEYOND_U_FFFF, `a${BEYOND_U_FFFF}`, BEYOND_U_FFFF + BEYOND_U_FFFF, '', 'a', '\u0430', '-'];
const ASCII = [
  'a',
  'A',
  '0',
  '-',
  '_',
  ' ',
  ...Array.from({ length: 95 }, (_unused, code) => String.fromCharCode(32 + code)),
];
const MAX_TEXT_LENGTH = 2_000;
// How often more than its least a repeat without end, such as `+`, is written.
const EXTRA_REPEATS = 3;

/** Lists the characters that a pattern names, each escape such as `\u0041` as the character that it stands for. */
function listCharactersOf(pattern: string): string[] {
  const escapes = [...pattern.matchAll(/\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2}))/gi)];
  // Only one of the three groups has matched.
  const codes = escapes.map((match) => parseInt(match.slice(1).find(Boolean) ?? '', 16));
  const escaped = codes.filter((code) => code <= 0x10ffff).map((code) => String.fromCodePoint(code));
  return [...escaped, ...Array.from(pattern)];
}

// A repeat such as `{4,6}` is written 4, 2 or 6 times. Half of the least is enough for characters beyond U+FFFF where
// the flag u is not set: each counts as two.
type RepeatCount = 'least' | 'half' | 'most';

// Writes a text that a pattern is likely to match, part by part: the first alternative of each group, and for each
// class the first of `characters` that it has.
function writeText(pattern: string, characters: readonly string[], repeatCount: RepeatCount): string {
  const parts = pattern.match(PATTERN_PARTS) ?? [];
  // The index of the next part: each function below goes on from there, and past the parts that it reads.
  let index = 0;
  return writeAlternatives();

  // Reads alternatives such as `a|b` up to the end of their group, or of the pattern, and writes the first.
  function writeAlternatives(): string {
    const all = [writeSequence()];
    while (parts[index] === '|') {
      index += 1;
      all.push(writeSequence());
    }
    return all[0] ?? '';
  }

  function writeSequence(): string {
    let text = '';
    for (let part = parts[index]; part !== undefined && part !== '|' && part !== ')'; part = parts[index]) {
      index += 1;
      const partText = part.startsWith('(') ? writeGroup(part) : chooseCharacter(part, characters);
      text += partText.repeat(readRepeat());
    }
    return text;
  }

  // Reads a group from behind its opening, such as `(` or `(?=`, and writes its first alternative.
  function writeGroup(opening: string): string {
    const inside = writeAlternatives();
    // Go past the closing parenthesis.
    index += 1;
    // A lookahead or lookbehind matches no text of its own.
    const isLookaround = /^\(\?<?[=!]/.test(opening);
    return isLookaround ? '' : inside;
  }

  // Reads a repeat such as `*` or `{4,6}`, if the next part is one. Returns how often to write the part before it.
  function readRepeat(): number {
    const repeat = parts[index];
    if (repeat === undefined || !/^(?:[*+?]|\{\d+,?\d*\})\??$/.test(repeat)) return 1;
    index += 1;
    // `{4}` has one number, and `*`, `+` and `?` have none.
    const [least = '0', most = least] = repeat.match(/\d+/g) ?? [repeat.startsWith('+') ? '1' : '0'];
    if (repeatCount === 'least') return Number(least);
    if (repeatCount === 'half') return Math.max(1, Math.ceil(Number(least) / 2));
    if (repeat.startsWith('?')) return 1;
    const isEndless = /^(?:[*+]|\{\d+,\})/.test(repeat);
    return isEndless ? Number(least) + EXTRA_REPEATS : Number(most);
  }
}

// A class, an escape, the beginning of a group, a repeat, or any other character.
const PATTERN_PARTS =
  /\[(?:\\[^]|[^\]\\])*\]|\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|p\{[^}]*\}|k<\w*>|[^])|\(\?(?:<?[=!]|:|<\w+>)|\{\d+,?\d*\}\??|[*+?]\??|[^]/giu;

// The first character that a part, such as `[a-z]` or `\d`, matches; '' for an assertion such as `^` or `\b`.
function chooseCharacter(part: string, characters: readonly string[]): string {
  if (/^(?:[$^]|\\b)$/i.test(part)) return '';
  // With the flag u and without: only without it, a class can match one half of a surrogate pair.
  const expressions = ['u', ''].flatMap((flag) => tryToCompile(`^(?:${part})$`, flag));
  return characters.find((character) => expressions.some((expression) => expression.test(character))) ?? '';
}

function tryToCompile(pattern: string, flag: string): RegExp[] {
  try {
    return [new RegExp(pattern, flag)];
  } catch {
    return [];
  }
}
