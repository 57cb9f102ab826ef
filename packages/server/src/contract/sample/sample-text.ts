// Makes a text that a schema allows.
import { toRegExp } from '../schema/schema';

const TEXT_OF_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T12:00:00Z',
  date: '2026-01-01',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'user@example.com',
  'idn-email': 'user@example.com',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  iri: 'https://example.com/',
  'uri-template': '/{id}',
  uuid: '00000000-0000-4000-8000-000000000000',
  byte: 'dGV4dA==',
  regex: '.*',
  'json-pointer': '/text',
  'relative-json-pointer': '0',
  int64: '1',
  int32: '1',
};

// A contract may ask for more than memory has.
const MAX_CHARACTERS = 100_000;

// How often what may be repeated is: in this order.
const REPEATS = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 36, 40, 64];

/** The text of the format, one that matches the pattern, or the name; undefined if none is found. */
export function sampleText(name: string, read: (keyword: string) => unknown): string | undefined {
  const format = String(read('format'));
  // A relative one, such as /type.
  const formatted = /^[iu]ri-reference$/.test(format) ? `/${encodeURIComponent(name)}` : TEXT_OF_FORMAT[format];
  const [minimum, maximum] = [Number(read('minLength') ?? 0), Number(read('maxLength') ?? Infinity)];
  if (minimum > MAX_CHARACTERS) return undefined;
  const pattern = read('pattern');
  const regExp = typeof pattern === 'string' ? toRegExp(pattern) : undefined;
  const isAllowed = (text: string): boolean => {
    const { length } = Array.from(text);
    return length >= minimum && length <= maximum && regExp?.test(text) !== false;
  };
  const fitted = name.padEnd(minimum, name || ' ').slice(0, Math.min(maximum, Math.max(minimum, name.length)));
  const plain = [...(formatted === undefined ? [] : [formatted]), fitted].find(isAllowed);
  if (plain !== undefined || typeof pattern !== 'string') return plain;
  return REPEATS.map((count) => matchPattern(pattern, count)).find(isAllowed);
}

const PRINTABLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
const CHARACTERS = ['a', 'A', '0', '-', '_', ' ', ...PRINTABLE];
// A class, an escape, or a character; what is not one of them is an assertion, a group or a quantifier.
const ATOM = /\[\^?\]?(?:\\.|[^\]\\])*\]|\\(?:u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|[pP]\{[^}]*\}|.)|[^()|]/isuy;
const GROUP = /\((\?(?:[=!]|<[=!]))?(?:\?(?::|<[^>]*>))?/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;

/** Writes a text for a regular expression, with its first alternatives; the caller tries whether it matches. */
function matchPattern(pattern: string, repeats: number): string {
  let index = 0;
  return readAlternatives();

  function take(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = index;
    const found = token.exec(pattern) ?? undefined;
    index += found?.[0].length ?? 0;
    return found;
  }

  function readAlternatives(): string {
    let first: string | undefined;
    do {
      let sequence = '';
      while (index < pattern.length && !'|)'.includes(String(pattern[index]))) sequence += readRepeated();
      first ??= sequence;
    } while (pattern[index] === '|' && ++index);
    return first;
  }

  function readRepeated(): string {
    const group = take(GROUP);
    const inner = group ? readAlternatives() : readAtom();
    if (group) index++;
    const [, sign, least, comma, most] = take(QUANTIFIER) ?? [];
    // What is only looked at is no part of the text.
    if (group?.[1] !== undefined) return '';
    if (sign === undefined && least === undefined) return inner;
    const minimum = least === undefined ? Number(sign === '+') : Number(least);
    const maximum = sign === '?' ? 1 : comma === '' ? minimum : /\d/.test(String(most)) ? Number(most) : Infinity;
    return inner.repeat(Math.min(Math.max(minimum, repeats), maximum));
  }

  function readAtom(): string {
    // The match has no groups, so that its text is that of the list.
    const atom = String(take(ATOM));
    if (/^(?:[$^]|\\b)$/i.test(atom)) return '';
    const literal = atom.slice(-1);
    if (atom.length === 1 && atom !== '.') return literal;
    const regExp = toRegExp(`^(?:${atom})$`);
    return [...CHARACTERS, literal].find((character) => regExp.test(character)) ?? '';
  }
}
