import type { Case } from '../case';
import type { Content } from '../contract/model';
import { EXTRA } from '../values/objects';
import { toBody } from './valid-request';

/** With what makes its case another one than those of its class. */
type Malformed = readonly [label: string, sent: string | Buffer, more?: Partial<Pick<Case, 'level' | 'expect'>>];

/** Bodies that are not what their media type says, each made from a right one. */
export function malformedContents(kind: Content['kind'], good: string): Malformed[] {
  switch (kind) {
    case 'json':
      return malformedBodies(good);
    case 'text':
      return malformedTexts(good);
    case 'form':
      return malformedForms(good);
    case 'bytes':
    case 'other':
      return [];
  }
}

// Nothing else is wrong with them, so that whoever reads them all the same accepts them.
function malformedBodies(good: string): Malformed[] {
  const [before, after] = aroundMember(good);
  const inside = (token: string): string => `${before}${token}${after}`;
  const inString = (...wrong: readonly number[]): Buffer =>
    Buffer.concat([toBody(`${before}"`), Buffer.from(wrong), toBody(`"${after}`)]);
  return [...texts(good), ...tokens(inside), ...surrogates(good, inside), ...bytes(good, inString)];
}

// The text of a value with a place for one more, where the contract may allow another property.
function aroundMember(good: string): [before: string, after: string] {
  if (!good.endsWith('}')) return ['[', ']'];
  return [`${good.slice(0, -1)}${good === '{}' ? '' : ','}"${EXTRA}":`, '}'];
}

// RFC 8259: what readers of something like JSON take for it.
function texts(good: string): Malformed[] {
  const open = good.slice(0, -1);
  const close = good.slice(-1);
  const unquoted = good.replace(/"(\w+)":/g, '$1:');
  return [
    // Nobody can tell the rest.
    ['cut in the middle', good.slice(0, Math.ceil(good.length / 2)), { level: 'contract' }],
    ['cut before its last sign', open],
    ['a comma at the end', /[}\]]/.test(close) ? `${open},${close}` : '[1,]'],
    ['a comma instead of a value', `[,]`],
    ['two values', `${good}${good}`],
    ['text after the value', `${good}x`],
    ['a closing bracket too many', `${good}${close}`],
    ['the wrong closing bracket', `${open}${close === '}' ? ']' : '}'}`],
    ['single quotes', good.replaceAll('"', "'")],
    ['names without quotes', unquoted === good ? '{a:1}' : unquoted],
    ['a comment', `/* */${good}`],
    ['a comment at the end', `${good}// `],
    ['only white space', ' \n'],
    ['a lone quote', '"'],
    ['a missing colon', '{"a" 1}'],
    ['a name that is no string', '{1:1}'],
    ['a form', 'a=1&b=2'],
    ['markup', '<a>1</a>'],
    ['YAML', 'a: 1\n'],
    ['a no-break space', `${good}\u00a0`],
    ['100,000 brackets', '['.repeat(100_000)],
  ];
}

function tokens(inside: (token: string) => string): [label: string, text: string][] {
  return [
    ['NaN', inside('NaN')],
    ['Infinity', inside('-Infinity')],
    ['undefined', inside('undefined')],
    ['True', inside('True')],
    ['a leading zero', inside('01')],
    ['a plus sign', inside('+1')],
    ['hexadecimal', inside('0x1')],
    ['no digit before the point', inside('.5')],
    ['no digit after the point', inside('1.')],
    ['no digit in the exponent', inside('1e')],
    ['an underscore in a number', inside('1_0')],
    ['a bigint literal', inside('1n')],
    ['a control character in a string', inside('"\u0001"')],
    ['a line break in a string', inside('"\n"')],
    ['an escape that is none', inside('"\\x41"')],
    ['an escape cut short', inside('"\\u00"')],
  ];
}

// RFC 7493 section 2.1.
function surrogates(good: string, inside: (token: string) => string): [label: string, text: string][] {
  const found = UNPAIRED.map(([label, escape]): [string, string] => [
    `${label} in another property`,
    inside(`"${escape}"`),
  ]);
  const named = good.replace(/^\{/, `{"\\ud800":null${good === '{}' ? '' : ','}`);
  const valued = good.replace(/:"/, ':"\\udfff');
  return [
    ...found,
    ...(named === good ? [] : [['a high surrogate alone in a name', named] as [string, string]]),
    ...(valued === good ? [] : [['a low surrogate alone in a declared property', valued] as [string, string]]),
  ];
}

const UNPAIRED = [
  ['a high surrogate alone', '\\ud800'],
  ['a low surrogate alone', 'a\\udfff'],
  ['surrogates the wrong way round', '\\udc00\\ud800'],
] as const;

// RFC 3629.
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

// RFC 3986 section 2.1. They stand in the last value.
function malformedForms(good: string): [label: string, sent: string | Buffer][] {
  return [
    ['a percent sign alone', `${good}%`],
    ['an encoding that is none', `${good}%zz`],
    ['encoded, not UTF-8', `${good}%ff`],
    ['UTF-8: a byte that never occurs', Buffer.concat([toBody(good), Buffer.from([0xff])])],
  ];
}

// RFC 3629, and RFC 8259 section 8.1: no byte order mark.
function bytes(good: string, inString: (...wrong: readonly number[]) => Buffer): Malformed[] {
  return [
    // A reader may skip it.
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
