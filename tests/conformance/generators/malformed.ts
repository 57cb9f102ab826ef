import type { Case } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { writeJson } from '../wire/json';
import type { WireRequest } from '../wire/request';
import { toBody, validRequest } from './valid-request';

/** Bodies that are not JSON in UTF-8, and messages that are not HTTP. */
export function malformed(values: Values, operation: Operation): Case[] {
  const request = validRequest(values, operation);
  const made = (pointer: string, label: string, change: Partial<WireRequest>): Case => ({
    operation: operation.id,
    class: 'malformed',
    pointer,
    label,
    covers: [],
    request: { ...request, ...change },
    expect: 'refused',
  });
  const { body } = operation;
  return [
    ...(body
      ? malformedBodies(writeJson(values.baseOf(body.schema))).map(([label, sent]) =>
          made(body.pointer, label, { body: Buffer.from(sent) }),
        )
      : []),
    ...(body && request.body ? framings(request.body).map(([label, change]) => made(body.pointer, label, change)) : []),
    ...HEADS.map(([label, bend]) => made(operation.pointer, label, { bend })),
  ];
}

// Nothing else is wrong with them, so that whoever reads them all the same accepts them.
function malformedBodies(good: string): [label: string, sent: string | Buffer][] {
  const [before, after] = aroundMember(good);
  const inside = (token: string): string => `${before}${token}${after}`;
  const inString = (...wrong: readonly number[]): Buffer =>
    Buffer.concat([toBody(`${before}"`), Buffer.from(wrong), toBody(`"${after}`)]);
  return [...texts(good), ...tokens(inside), ...bytes(good, inString)];
}

// The text of a value with a place for one more, where the contract may allow another property.
function aroundMember(good: string): [before: string, after: string] {
  if (!good.endsWith('}')) return ['[', ']'];
  return [`${good.slice(0, -1)}${good === '{}' ? '' : ','}"${EXTRA}":`, '}'];
}

const EXTRA = 'another';

// RFC 8259: what readers of something like JSON take for it.
function texts(good: string): [label: string, text: string][] {
  const open = good.slice(0, -1);
  const close = good.slice(-1);
  const unquoted = good.replace(/"(\w+)":/g, '$1:');
  return [
    ['cut in the middle', good.slice(0, Math.ceil(good.length / 2))],
    ['cut before its last sign', open],
    ['a comma at the end', `${open},${close}`],
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

// RFC 3629, and RFC 8259 section 8.1: no byte order mark.
function bytes(good: string, inString: (...wrong: readonly number[]) => Buffer): [label: string, bytes: Buffer][] {
  return [
    ['a byte order mark', toBody(`\ufeff${good}`)],
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

// RFC 9112 sections 6 and 7.
function framings(body: Buffer): [label: string, change: Partial<WireRequest>][] {
  const { length } = body;
  const relength = (header: string) => (head: string) => head.replace(/Content-Length: \d+\r\n/, header);
  return [
    [
      'fewer bytes than the Content-Length',
      { bend: relength(`Content-Length: ${String(length + 1)}\r\n`), isCut: true },
    ],
    ['a Content-Length of letters', { bend: relength('Content-Length: abc\r\n') }],
    ['a negative Content-Length', { bend: relength('Content-Length: -1\r\n') }],
    ['a Content-Length with a sign', { bend: relength(`Content-Length: +${String(length)}\r\n`) }],
    [
      'two Content-Lengths',
      { bend: relength(`Content-Length: ${String(length)}\r\nContent-Length: ${String(length + 1)}\r\n`) },
    ],
    [
      'a Content-Length and chunks',
      { bend: relength(`Content-Length: ${String(length)}\r\nTransfer-Encoding: chunked\r\n`) },
    ],
    ['an unknown transfer coding', { bend: relength('Transfer-Encoding: what\r\n') }],
    [
      'a chunk size that is no number',
      { bend: relength('Transfer-Encoding: chunked\r\n'), body: Buffer.concat([toBody('xyz\r\n'), body]) },
    ],
    [
      'chunks that end early',
      {
        bend: relength('Transfer-Encoding: chunked\r\n'),
        body: Buffer.concat([toBody(`${length.toString(16)}\r\n`), body]),
        isCut: true,
      },
    ],
  ];
}

// RFC 9112 sections 2 to 5.
const HEADS: readonly (readonly [label: string, bend: (head: string) => string])[] = [
  ['no Host', (head) => head.replace(/Host: .*\r\n/, '')],
  ['two Hosts', (head) => head.replace(/Host: .*\r\n/, '$&$&')],
  ['an empty Host', (head) => head.replace(/Host: .*\r\n/, 'Host: a b\r\n')],
  ['a header without a colon', (head) => head.replace('\r\n\r\n', '\r\nnonsense\r\n\r\n')],
  ['white space before a colon', (head) => head.replace('\r\n\r\n', '\r\nX-A : 1\r\n\r\n')],
  ['a header without a name', (head) => head.replace('\r\n\r\n', '\r\n: 1\r\n\r\n')],
  ['a NUL in a header', (head) => head.replace('\r\n\r\n', '\r\nX-A: \0\r\n\r\n')],
  ['an unknown version', (head) => head.replace('HTTP/1.1', 'HTTP/9.9')],
  ['no version', (head) => head.replace(' HTTP/1.1', '')],
  ['a space in the target', (head) => head.replace(' HTTP/1.1', ' x HTTP/1.1')],
  ['a target without a slash', (head) => head.replace(/ \//, ' ')],
  ['an unknown method', (head) => head.replace(/^\w+/, 'PLEASE')],
  ['a method in lower case', (head) => head.replace(/^\w+/, (method) => method.toLowerCase())],
  ['nonsense', () => 'nonsense\r\n\r\n'],
  ['a TLS greeting', () => '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n'],
  ['an unknown expectation', (head) => head.replace('\r\n\r\n', '\r\nExpect: wonders\r\n\r\n')],
];
