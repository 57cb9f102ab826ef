// Creates malformed bodies for each kind of media type.
import type { Case } from '../case';
import type { Content } from '../contract/model';
import { ADDITIONAL_NAME } from '../values/objects';
import { toBody } from './valid-request';

/** A malformed body, and how its case differs from the others of the class. */
type Malformed = readonly [
  label: string,
  sent: string | Buffer,
  more?: Partial<Pick<Case, 'level' | 'expect' | 'leftOpen'>>,
];

// RFC 8259: a parser may accept extensions, and the grammar allows unpaired surrogates.
const EXTENSION = { leftOpen: 'RFC 8259 9' } as const;
const GRAMMAR = { leftOpen: 'RFC 8259 8.2' } as const;

/** Makes malformed bodies from a valid one. */
export function malformedBodiesOf(kind: Content['kind'], good: string): Malformed[] {
  switch (kind) {
    case 'json':
      return malformedJsonBodies(good);
    case 'text':
      return malformedTexts(good);
    case 'form':
      return malformedForms(good);
    case 'multipart':
      return malformedParts(good);
    case 'bytes':
    case 'other':
      return [];
  }
}

// Each has one fault, so that a lenient parser accepts it.
function malformedJsonBodies(good: string): Malformed[] {
  const [before, after] = aroundMember(good);
  const inside = (token: string): string => `${before}${token}${after}`;
  const inString = (...wrong: readonly number[]): Buffer =>
    Buffer.concat([toBody(`${before}"`), Buffer.from(wrong), toBody(`"${after}`)]);
  return [
    ...malformedJsonTexts(good),
    ...malformedTokens(inside),
    ...unpairedSurrogates(good, inside),
    ...malformedBytes(good, inString),
  ];
}

// Splits the text of an object where one more property value can be inserted; any other value becomes a list.
function aroundMember(good: string): [before: string, after: string] {
  if (!good.endsWith('}')) return ['[', ']'];
  return [`${good.slice(0, -1)}${good === '{}' ? '' : ','}"${ADDITIONAL_NAME}":`, '}'];
}

// Texts that lenient JSON parsers accept, or that end in the wrong place.
function malformedJsonTexts(good: string): Malformed[] {
  const open = good.slice(0, -1);
  const close = good.slice(-1);
  const unquoted = good.replace(/"(\w+)":/g, '$1:');
  return [
    // No parser can guess the rest.
    ['cut in the middle', good.slice(0, Math.ceil(good.length / 2)), { level: 'contract' }],
    ['cut before its last sign', open],
    ['a comma at the end', /[}\]]/.test(close) ? `${open},${close}` : '[1,]', EXTENSION],
    ['a comma instead of a value', `[,]`],
    ['two values', `${good}${good}`],
    ['text after the value', `${good}x`],
    ['a closing bracket too many', `${good}${close}`],
    ['the wrong closing bracket', `${open}${close === '}' ? ']' : '}'}`],
    ['single quotes', good.replaceAll('"', "'"), EXTENSION],
    ['names without quotes', unquoted === good ? '{a:1}' : unquoted, EXTENSION],
    ['a comment', `/* */${good}`, EXTENSION],
    ['a comment at the end', `${good}// `, EXTENSION],
    ['only white space', ' \n'],
    ['a lone quote', '"'],
    ['a missing colon', '{"a" 1}'],
    ['a name that is no string', '{1:1}'],
    ['a form', 'a=1&b=2'],
    ['markup', '<a>1</a>'],
    ['YAML', 'a: 1\n'],
    ['a no-break space', `${good}\u00a0`, EXTENSION],
    ['100,000 brackets', '['.repeat(100_000)],
  ];
}

function malformedTokens(inside: (token: string) => string): Malformed[] {
  return [
    ['NaN', inside('NaN'), EXTENSION],
    ['Infinity', inside('-Infinity'), EXTENSION],
    ['undefined', inside('undefined'), EXTENSION],
    ['True', inside('True'), EXTENSION],
    ['a leading zero', inside('01'), EXTENSION],
    ['a plus sign', inside('+1'), EXTENSION],
    ['hexadecimal', inside('0x1'), EXTENSION],
    ['no digit before the point', inside('.5'), EXTENSION],
    ['no digit after the point', inside('1.'), EXTENSION],
    ['no digit in the exponent', inside('1e')],
    ['an underscore in a number', inside('1_0'), EXTENSION],
    ['a bigint literal', inside('1n'), EXTENSION],
    ['a control character in a string', inside('"\u0001"'), EXTENSION],
    ['a line break in a string', inside('"\n"'), EXTENSION],
    ['an escape that is none', inside('"\\x41"'), EXTENSION],
    ['an escape cut short', inside('"\\u00"')],
  ];
}

// Unpaired surrogates, which RFC 7493 section 2.1 forbids.
function unpairedSurrogates(good: string, inside: (token: string) => string): Malformed[] {
  const found = UNPAIRED.map(([label, escape]) => [`${label} in another property`, inside(`"${escape}"`)] as const);
  const named = good.replace(/^\{/, `{"\\ud800":null${good === '{}' ? '' : ','}`);
  const valued = good.replace(/:"/, ':"\\udfff');
  const all: readonly (readonly [string, string])[] = [
    ...found,
    ['a high surrogate alone in a name', named],
    ['a low surrogate alone in a declared property', valued],
  ];
  return all.filter(([, text]) => text !== good).map(([label, text]) => [label, text, GRAMMAR]);
}

const UNPAIRED = [
  ['a high surrogate alone', '\\ud800'],
  ['a low surrogate alone', 'a\\udfff'],
  ['surrogates the wrong way round', '\\udc00\\ud800'],
] as const;

// Text that is not UTF-8 (RFC 3629).
function malformedTexts(good: string): [label: string, bytes: Buffer][] {
  const ending = (...wrong: readonly number[]): Buffer => Buffer.concat([toBody(good), Buffer.from(wrong)]);
  return [
    ['UTF-8: a continuation alone', ending(0x80)],
    ['UTF-8: a sign cut short', ending(0xe2, 0x82)],
    ['UTF-8: overlong', ending(0xc0, 0xaf)],
    ['UTF-8: a surrogate', ending(0xed, 0xa0, 0x80)],
    ['Latin-1', ending(0xe9)],
  ];
}

// Malformed percent encodings (RFC 3986 section 2.1), in the last value.
function malformedForms(good: string): [label: string, sent: string | Buffer][] {
  return [
    ['a percent sign alone', `${good}%`],
    ['an encoding that is none', `${good}%zz`],
    ['encoded, not UTF-8', `${good}%ff`],
    ['UTF-8: a byte that never occurs', Buffer.concat([toBody(good), Buffer.from([0xff])])],
  ];
}

// Malformed delimiters and parts (RFC 2046 section 5.1.1, RFC 7578 section 4.2).
function malformedParts(good: string): Malformed[] {
  const [first = ''] = good.split('\r\n');
  return [
    ['cut in the middle', good.slice(0, Math.ceil(good.length / 2)), { level: 'contract' }],
    ['cut before its last delimiter', good.slice(0, good.lastIndexOf(first))],
    ['no delimiter', 'a=1&b=2'],
    [
      'a part without the end of its head',
      `${first}\r\nContent-Disposition: form-data; name="${ADDITIONAL_NAME}"\r\n${good}`,
    ],
    ['a part without a name', `${first}\r\nContent-Disposition: form-data\r\n\r\n1\r\n${good}`],
  ];
}

// Bytes that are not UTF-8 (RFC 3629), and a byte order mark (RFC 8259 section 8.1).
function malformedBytes(good: string, inString: (...wrong: readonly number[]) => Buffer): Malformed[] {
  return [
    // RFC 8259 section 8.1: a parser may ignore it.
    ['a byte order mark', toBody(`\ufeff${good}`), { level: 'strict' }],
    ['UTF-8: a byte that never occurs, read or not', inString(0xff), { level: 'contract', expect: 'answered' }],
    ['UTF-8: a continuation alone', inString(0x80)],
    ['UTF-8: a sign cut short', inString(0xc3)],
    ['UTF-8: a sign of three bytes cut short', inString(0xe2, 0x82)],
    ['UTF-8: overlong', inString(0xc0, 0xaf)],
    ['UTF-8: a surrogate', inString(0xed, 0xa0, 0x80)],
    ['UTF-8: beyond U+10FFFF', inString(0xf4, 0x90, 0x80, 0x80)],
    ['UTF-8: a byte that never occurs', inString(0xff)],
    ['Latin-1', inString(0xe9)],
    ['UTF-16', Buffer.from(good, 'utf16le')],
    ['a NUL after the value', toBody(`${good}\0`)],
  ];
}
