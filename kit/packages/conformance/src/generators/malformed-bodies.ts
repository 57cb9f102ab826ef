// Creates malformed bodies for each kind of media type.
import type { Row } from './case';
import type { Content } from '../contract/model';
import { ADDITIONAL_NAME, aroundAddedValue } from '../values/additional';
import { malformedSequences } from './sequences';
import { toBody } from './valid-request';

type Malformed = Row<string | Buffer>;

// RFC 8259 section 9: a parser may accept extensions of JSON, so that both replies are right.
const MAY_BE_EXTENSION = { implementationDefined: 'RFC 8259 9' } as const;
// RFC 8259 section 8.2: the grammar of JSON allows unpaired surrogates, so that both replies are right.
const ALLOWED_BY_GRAMMAR = { implementationDefined: 'RFC 8259 8.2' } as const;

/** Makes malformed bodies from the text of a valid one; empty for kinds in which every byte is allowed or unknown. */
export function malformedBodiesOf(
  { kind, framing = 'jsonl' }: Pick<Content, 'kind' | 'framing'>,
  valid: string,
): Malformed[] {
  switch (kind) {
    case 'json':
      return malformedJsonBodies(valid);
    case 'text':
      return bytesNotInUtf8(valid);
    case 'form':
      return malformedForms(valid);
    case 'multipart':
      return malformedMultiparts(valid);
    case 'sequence':
      return malformedSequences(framing, valid);
    case 'bytes':
    case 'other':
      return [];
  }
}

// Each body is malformed in one way only, so that a lenient parser accepts it and fails the case.
function malformedJsonBodies(valid: string): Malformed[] {
  const [before, after] = aroundAddedValue(valid);
  const withToken = (token: string): string => `${before}${token}${after}`;
  return [
    // A piece of a number is a number, so what is JSON after all is left out.
    ...malformedJsonTexts(valid).filter(([, text]) => !isJson(String(text))),
    ['100,000 brackets', BRACKETS],
    ...malformedTokens(withToken),
    ...unpairedSurrogates(valid, withToken),
    // At every level the server must not fail; that it refuses the same bytes is tested below, at a higher level.
    [
      'UTF-8: a byte that never occurs, must not crash the server',
      insertBytes(`${before}"`, [0xff], `"${after}`),
      { level: 'contract', expect: 'answered' },
    ],
    ...bytesNotInUtf8(`${before}"`, `"${after}`),
    ['UTF-16', Buffer.from(valid, 'utf16le')],
    ['a NUL after the value', `${valid}\0`],
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function malformedJsonTexts(valid: string): Malformed[] {
  const withoutEnd = valid.slice(0, -1);
  const end = valid.slice(-1);
  const unquoted = valid.replace(/"(\w+)":/g, '$1:');
  return [
    // No parser can guess the rest, so this counts at every level.
    ['cut in the middle', valid.slice(0, Math.ceil(valid.length / 2)), { level: 'contract' }],
    ['cut before its last character', withoutEnd],
    ['a comma at the end', /[}\]]/.test(end) ? `${withoutEnd},${end}` : '[1,]', MAY_BE_EXTENSION],
    ['a comma instead of a value', `[,]`],
    ['two values', `${valid}${valid}`],
    ['text after the value', `${valid}x`],
    ['one closing bracket too many', `${valid}${end}`],
    ['the wrong closing bracket', `${withoutEnd}${end === '}' ? ']' : '}'}`],
    ['single quotes', valid.replaceAll('"', "'"), MAY_BE_EXTENSION],
    ['names without quotes', unquoted === valid ? '{a:1}' : unquoted, MAY_BE_EXTENSION],
    ['a comment', `/* */${valid}`, MAY_BE_EXTENSION],
    ['a comment at the end', `${valid}// `, MAY_BE_EXTENSION],
    ['only white space', ' \n'],
    ['a lone quote', '"'],
    ['a missing colon', '{"a" 1}'],
    ['a name that is not a string', '{1:1}'],
    ['a form', 'a=1&b=2'],
    ['markup', '<a>1</a>'],
    ['YAML', 'a: 1\n'],
    ['a no-break space', `${valid}\u00a0`, MAY_BE_EXTENSION],
  ];
}

// All operations share it.
const BRACKETS = toBody('['.repeat(100_000));

function malformedTokens(withToken: (token: string) => string): Malformed[] {
  return [
    ['NaN', withToken('NaN'), MAY_BE_EXTENSION],
    ['Infinity', withToken('-Infinity'), MAY_BE_EXTENSION],
    ['undefined', withToken('undefined'), MAY_BE_EXTENSION],
    ['True', withToken('True'), MAY_BE_EXTENSION],
    ['a leading zero', withToken('01'), MAY_BE_EXTENSION],
    ['a plus sign', withToken('+1'), MAY_BE_EXTENSION],
    ['hexadecimal', withToken('0x1'), MAY_BE_EXTENSION],
    ['no digit before the point', withToken('.5'), MAY_BE_EXTENSION],
    ['no digit after the point', withToken('1.'), MAY_BE_EXTENSION],
    ['no digit in the exponent', withToken('1e')],
    ['an underscore in a number', withToken('1_0'), MAY_BE_EXTENSION],
    ['a bigint literal', withToken('1n'), MAY_BE_EXTENSION],
    ['a control character in a string', withToken('"\u0001"'), MAY_BE_EXTENSION],
    ['a line break in a string', withToken('"\n"'), MAY_BE_EXTENSION],
    ['an invalid escape', withToken('"\\x41"'), MAY_BE_EXTENSION],
    ['an escape cut short', withToken('"\\u00"')],
  ];
}

// RFC 7493 section 2.1 forbids escapes of half a surrogate pair. Leaves out those that the body has no room for.
function unpairedSurrogates(valid: string, withToken: (token: string) => string): Malformed[] {
  const all: readonly Malformed[] = [
    ['a lone high surrogate in another property', withToken('"\\ud800"'), ALLOWED_BY_GRAMMAR],
    ['a lone low surrogate in another property', withToken('"a\\udfff"'), ALLOWED_BY_GRAMMAR],
    ['surrogates in the wrong order in another property', withToken('"\\udc00\\ud800"'), ALLOWED_BY_GRAMMAR],
    [
      'a lone high surrogate in a name',
      valid.replace(/^\{/, `{"\\ud800":null${valid === '{}' ? '' : ','}`),
      ALLOWED_BY_GRAMMAR,
    ],
    ['a lone low surrogate in a declared property', valid.replace(/:"/, ':"\\udfff'), ALLOWED_BY_GRAMMAR],
  ];
  return all.filter(([, text]) => text !== valid);
}

// Not UTF-8 (RFC 3629).
const NOT_UTF8: readonly (readonly [label: string, bytes: readonly number[]])[] = [
  ['UTF-8: a lone continuation byte', [0x80]],
  ['UTF-8: a character cut short', [0xc3]],
  ['UTF-8: a three-byte character cut short', [0xe2, 0x82]],
  ['UTF-8: overlong', [0xc0, 0xaf]],
  ['UTF-8: a surrogate', [0xed, 0xa0, 0x80]],
  ['UTF-8: beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ['UTF-8: a byte that never occurs', [0xff]],
  ['Latin-1', [0xe9]],
];

function bytesNotInUtf8(before: string, after = ''): Malformed[] {
  return NOT_UTF8.map(([label, bytes]) => [label, insertBytes(before, bytes, after)]);
}

function insertBytes(before: string, bytes: readonly number[], after: string): Buffer {
  return Buffer.concat([toBody(before), Buffer.from(bytes), toBody(after)]);
}

/** A valid URL-encoded form, whose last value ends in a malformed percent encoding (RFC 3986 section 2.1). */
function malformedForms(valid: string): Malformed[] {
  return [
    ['a lone percent sign', `${valid}%`],
    ['an invalid percent-encoding', `${valid}%zz`],
    ['encoded, not UTF-8', `${valid}%ff`],
    ['UTF-8: a byte that never occurs', Buffer.concat([toBody(valid), Buffer.from([0xff])])],
  ];
}

/** Multipart bodies with malformed delimiters or parts (RFC 2046 section 5.1.1, RFC 7578 section 4.2). */
function malformedMultiparts(valid: string): Malformed[] {
  // A valid body begins with the delimiter, `--` and the boundary, in a line of its own.
  const [delimiter = ''] = valid.split('\r\n');
  return [
    ['cut in the middle', valid.slice(0, Math.ceil(valid.length / 2)), { level: 'contract' }],
    ['cut before its last delimiter', valid.slice(0, valid.lastIndexOf(delimiter))],
    ['no delimiter', 'a=1&b=2'],
    [
      'a part whose head does not end',
      `${delimiter}\r\nContent-Disposition: form-data; name="${ADDITIONAL_NAME}"\r\n${valid}`,
    ],
    ['a part without a name', `${delimiter}\r\nContent-Disposition: form-data\r\n\r\n1\r\n${valid}`],
  ];
}
