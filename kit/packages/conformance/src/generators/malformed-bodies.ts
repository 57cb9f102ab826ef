import type { Row } from './case';
import type { Content } from '../contract/model';
import { ADDITIONAL_NAME, aroundAddedValue } from '../values/additional';
import { createMalformedSequences } from './sequences';
import { toBody } from './valid-request';

type MalformedBody = Row<string | Buffer>;

/** Returns an empty list for kinds whose syntax allows every byte or is unknown. */
export function createMalformedBodies(
  { kind, framing = 'jsonl' }: Pick<Content, 'kind' | 'framing'>,
  validBody: string,
): MalformedBody[] {
  switch (kind) {
    case 'json':
      return createMalformedJsonBodies(validBody);
    case 'text':
      return insertInvalidUtf8(validBody);
    case 'form':
      return createMalformedForms(validBody);
    case 'multipart':
      return createMalformedMultiparts(validBody);
    case 'sequence':
      return createMalformedSequences(framing, validBody);
    case 'bytes':
    case 'other':
      return [];
  }
}

// Each body has a single error, so that a parser which tolerates that error accepts the body and fails the case.
function createMalformedJsonBodies(validBody: string): MalformedBody[] {
  const [before, after] = aroundAddedValue(validBody);
  const insertToken = (token: string): string => `${before}${token}${after}`;
  return [
    // A number that is cut off can still be JSON.
    ...createMalformedJsonTexts(validBody).filter(([, text]) => !isJson(String(text))),
    ['100,000 brackets', MANY_BRACKETS],
    ['no digit in the exponent', insertToken('1e')],
    // The server must not fail at any level. The level `robust` also requires it to refuse these bytes; see below.
    [
      'UTF-8: a byte that never occurs, must not crash the server',
      insertBytes(`${before}"`, [0xff], `"${after}`),
      { level: 'contract', expect: 'answered' },
    ],
    ...insertInvalidUtf8(`${before}"`, `"${after}`),
    ['UTF-16', Buffer.from(validBody, 'utf16le')],
    ['a NUL after the value', `${validBody}\0`],
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

function createMalformedJsonTexts(validBody: string): MalformedBody[] {
  const withoutEnd = validBody.slice(0, -1);
  const end = validBody.slice(-1);
  return [
    // Counts at every level, because no lenient parser can guess the missing half.
    ['cut in the middle', validBody.slice(0, Math.ceil(validBody.length / 2)), { level: 'contract' }],
    ['cut before its last character', withoutEnd],
    ['two values', `${validBody}${validBody}`],
    ['text after the value', `${validBody}x`],
    ['one closing bracket too many', `${validBody}${end}`],
    ['the wrong closing bracket', `${withoutEnd}${end === '}' ? ']' : '}'}`],
    ['only white space', ' \n'],
    ['a form', 'a=1&b=2'],
  ];
}

const MANY_BRACKETS = toBody('['.repeat(100_000));

const INVALID_UTF8_SEQUENCES: readonly (readonly [label: string, bytes: readonly number[]])[] = [
  ['UTF-8: a character cut short', [0xc3]],
  ['UTF-8: overlong', [0xc0, 0xaf]],
  ['UTF-8: a surrogate', [0xed, 0xa0, 0x80]],
  ['UTF-8: a byte that never occurs', [0xff]],
  ['Latin-1', [0xe9]],
];

function insertInvalidUtf8(before: string, after = ''): MalformedBody[] {
  return INVALID_UTF8_SEQUENCES.map(([label, bytes]) => [label, insertBytes(before, bytes, after)]);
}

function insertBytes(before: string, bytes: readonly number[], after: string): Buffer {
  return Buffer.concat([toBody(before), Buffer.from(bytes), toBody(after)]);
}

/** Creates forms with invalid percent-encoding (RFC 3986 section 2.1) or invalid UTF-8. */
function createMalformedForms(validBody: string): MalformedBody[] {
  return [
    ['a lone percent sign', `${validBody}%`],
    ['an invalid percent-encoding', `${validBody}%zz`],
    ['encoded, not UTF-8', `${validBody}%ff`],
    ['UTF-8: a byte that never occurs', Buffer.concat([toBody(validBody), Buffer.from([0xff])])],
  ];
}

/** Creates forms with invalid syntax (RFC 2046 section 5.1.1, RFC 7578 section 4.2). */
function createMalformedMultiparts(validBody: string): MalformedBody[] {
  // The first line of a valid body is the delimiter.
  const [delimiter = ''] = validBody.split('\r\n');
  return [
    ['cut in the middle', validBody.slice(0, Math.ceil(validBody.length / 2)), { level: 'contract' }],
    ['cut before its last delimiter', validBody.slice(0, validBody.lastIndexOf(delimiter))],
    ['no delimiter', 'a=1&b=2'],
    [
      'a part whose head does not end',
      `${delimiter}\r\nContent-Disposition: form-data; name="${ADDITIONAL_NAME}"\r\n${validBody}`,
    ],
    ['a part without a name', `${delimiter}\r\nContent-Disposition: form-data\r\n\r\n1\r\n${validBody}`],
  ];
}
