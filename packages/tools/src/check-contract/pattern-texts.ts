/**
 * Texts to try a pattern on: short ones that are in every list, and some that it is likely to match, of characters
 * beyond U+FFFF where it takes them. It knows groups, classes and repeats; what it does not know costs a text, no more.
 */
export function textsFor(pattern: string): string[] {
  const signs = [ASTRAL, ...signsIn(pattern), ...ASCII];
  const made = [signs, [...ASCII, ...signs]].flatMap((preferred) =>
    (['least', 'half', 'most'] as const).map((count) => create(pattern, preferred, count)),
  );
  // A text that is no Unicode comes in no request.
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
  ...Array.from({ length: 95 }, (_unused, index) => String.fromCharCode(32 + index)),
];
const MAX_LENGTH = 2_000;
// A repeat without end is tried so often.
const MANY = 3;

// What the pattern itself names, as a character or as an escape.
function signsIn(pattern: string): string[] {
  const escaped = [...pattern.matchAll(/\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2}))/gi)];
  const codes = escaped.map((match) => parseInt(match.slice(1).find(Boolean) ?? '', 16));
  const named = codes.filter((code) => code <= 0x10ffff).map((code) => String.fromCodePoint(code));
  return [...named, ...Array.from(pattern)];
}

type Count = 'least' | 'half' | 'most';

/** Writes a text part by part: the first alternative of each group, and for each class the first character that it has. */
function create(pattern: string, signs: readonly string[], count: Count): string {
  const parts = pattern.match(PART) ?? [];
  let at = 0;
  return alternatives();

  function alternatives(): string {
    const all = [sequence()];
    while (parts[at] === '|') {
      at += 1;
      all.push(sequence());
    }
    return all[0] ?? '';
  }

  function sequence(): string {
    let text = '';
    for (let part = parts[at]; part !== undefined && part !== '|' && part !== ')'; part = parts[at]) {
      at += 1;
      const own = part.startsWith('(') ? group(part) : signOf(part, signs);
      text += own.repeat(repeats());
    }
    return text;
  }

  function group(open: string): string {
    const inside = alternatives();
    at += 1;
    // What a look ahead or behind has is no part of the text.
    return /^\(\?<?[=!]/.test(open) ? '' : inside;
  }

  function repeats(): number {
    const repeat = parts[at];
    if (repeat === undefined || !/^(?:[*+?]|\{\d+,?\d*\})\??$/.test(repeat)) return 1;
    at += 1;
    const [least = '0', most = least] = repeat.match(/\d+/g) ?? [repeat.startsWith('+') ? '1' : '0'];
    if (count === 'least') return Number(least);
    if (count === 'half') return Math.max(1, Math.ceil(Number(least) / 2));
    if (repeat.startsWith('?')) return 1;
    return /^(?:[*+]|\{\d+,\})/.test(repeat) ? Number(least) + MANY : Number(most);
  }
}

// A class, an escape, the beginning of a group, a repeat, or any other character.
const PART =
  /\[(?:\\[^]|[^\]\\])*\]|\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|p\{[^}]*\}|k<\w*>|[^])|\(\?(?:<?[=!]|:|<\w+>)|\{\d+,?\d*\}\??|[*+?]\??|[^]/giu;

function signOf(part: string, signs: readonly string[]): string {
  if (/^(?:[$^]|\\b)$/i.test(part)) return '';
  // With the flag and without: half a character is one for a class that has it.
  const tests = ['u', ''].flatMap((flag) => toRegExp(`^(?:${part})$`, flag));
  return signs.find((sign) => tests.some((test) => test.test(sign))) ?? '';
}

function toRegExp(pattern: string, flag: string): RegExp[] {
  try {
    return [new RegExp(pattern, flag)];
  } catch {
    return [];
  }
}
