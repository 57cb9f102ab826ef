/**
 * Makes texts to try a pattern on: the same short ones for every pattern, and some that it is likely to match, with
 * characters beyond U+FFFF where it allows them. It knows groups, classes and repeats; for anything else in a pattern,
 * a text may not match.
 */
export function makeSampleTexts(pattern: string): string[] {
  const characters = [ASTRAL, ...charactersIn(pattern), ...ASCII];
  const made = [characters, [...ASCII, ...characters]].flatMap((preferred) =>
    (['least', 'half', 'most'] as const).map((count) => writeText(pattern, preferred, count)),
  );
  // No request has a lone surrogate: UTF-8 cannot encode it.
  return [...new Set([...GENERAL, ...made])].filter((text) => !/\p{Surrogate}/u.test(text) && text.length < MAX_LENGTH);
}

const ASTRAL = '\u{1f339}';
const GENERAL = [ASTRAL, `a${ASTRAL}`, ASTRAL + ASTRAL, '', 'a', '\u0430', '-'];
const ASCII = [
  'a',
  'A',
  '0',
  '-',
  '_',
  ' ',
  ...Array.from({ length: 95 }, (_unused, code) => String.fromCharCode(32 + code)),
];
const MAX_LENGTH = 2_000;
// How often more than its least a repeat without end is written.
const ENDLESS_REPEATS = 3;

// The characters that the pattern names, as themselves or as an escape.
function charactersIn(pattern: string): string[] {
  const escaped = [...pattern.matchAll(/\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2}))/gi)];
  const codes = escaped.map((match) => parseInt(match.slice(1).find(Boolean) ?? '', 16));
  const named = codes.filter((code) => code <= 0x10ffff).map((code) => String.fromCodePoint(code));
  return [...named, ...Array.from(pattern)];
}

// How often a repeat is written.
type Count = 'least' | 'half' | 'most';

/**
 * Writes a text part by part: the first alternative of each group, and for each class the first character that it has.
 */
function writeText(pattern: string, characters: readonly string[], count: Count): string {
  const parts = pattern.match(PART) ?? [];
  let index = 0;
  return alternatives();

  function alternatives(): string {
    const all = [sequence()];
    while (parts[index] === '|') {
      index += 1;
      all.push(sequence());
    }
    // Only the first is written. The others were read to get behind them.
    return all[0] ?? '';
  }

  function sequence(): string {
    let text = '';
    for (let part = parts[index]; part !== undefined && part !== '|' && part !== ')'; part = parts[index]) {
      index += 1;
      const own = part.startsWith('(') ? group(part) : characterFor(part, characters);
      text += own.repeat(repeats());
    }
    return text;
  }

  function group(open: string): string {
    const inside = alternatives();
    index += 1;
    // A lookahead or lookbehind matches no text of its own.
    return /^\(\?<?[=!]/.test(open) ? '' : inside;
  }

  function repeats(): number {
    const repeat = parts[index];
    if (repeat === undefined || !/^(?:[*+?]|\{\d+,?\d*\})\??$/.test(repeat)) return 1;
    index += 1;
    const [least = '0', most = least] = repeat.match(/\d+/g) ?? [repeat.startsWith('+') ? '1' : '0'];
    if (count === 'least') return Number(least);
    if (count === 'half') return Math.max(1, Math.ceil(Number(least) / 2));
    if (repeat.startsWith('?')) return 1;
    return /^(?:[*+]|\{\d+,\})/.test(repeat) ? Number(least) + ENDLESS_REPEATS : Number(most);
  }
}

// A class, an escape, the beginning of a group, a repeat, or any other character.
const PART =
  /\[(?:\\[^]|[^\]\\])*\]|\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|p\{[^}]*\}|k<\w*>|[^])|\(\?(?:<?[=!]|:|<\w+>)|\{\d+,?\d*\}\??|[*+?]\??|[^]/giu;

function characterFor(part: string, characters: readonly string[]): string {
  if (/^(?:[$^]|\\b)$/i.test(part)) return '';
  // With the flag u and without: only without it, a class can match one half of a surrogate pair.
  const tests = ['u', ''].flatMap((flag) => toRegExp(`^(?:${part})$`, flag));
  return characters.find((character) => tests.some((test) => test.test(character))) ?? '';
}

function toRegExp(pattern: string, flag: string): RegExp[] {
  try {
    return [new RegExp(pattern, flag)];
  } catch {
    return [];
  }
}
