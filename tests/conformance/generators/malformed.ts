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
      ? [...texts(writeJson(values.baseOf(body.schema))), ...bytes()].map(([label, sent]) =>
          made(body.pointer, label, { body: Buffer.from(sent) }),
        )
      : []),
    ...(body && request.body ? framings(request.body).map(([label, change]) => made(body.pointer, label, change)) : []),
    ...HEADS.map(([label, bend]) => made(operation.pointer, label, { bend })),
  ];
}

// RFC 8259: what readers of something like JSON take for it.
function texts(good: string): [label: string, text: string][] {
  const open = good.slice(0, -1);
  const close = good.slice(-1);
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
    ['names without quotes', '{a:1}'],
    ['a comment', `/* */${good}`],
    ['a comment at the end', `${good}// `],
    ['only white space', ' \n'],
    ['a lone quote', '"'],
    ['NaN', '{"a":NaN}'],
    ['Infinity', '{"a":-Infinity}'],
    ['undefined', '{"a":undefined}'],
    ['True', '{"a":True}'],
    ['a leading zero', '{"a":01}'],
    ['a plus sign', '{"a":+1}'],
    ['hexadecimal', '{"a":0x1}'],
    ['no digit before the point', '{"a":.5}'],
    ['no digit after the point', '{"a":1.}'],
    ['no digit in the exponent', '{"a":1e}'],
    ['an underscore in a number', '{"a":1_0}'],
    ['a bigint literal', '{"a":1n}'],
    ['a control character in a string', '{"a":"\u0001"}'],
    ['a line break in a string', '{"a":"\n"}'],
    ['an escape that is none', '{"a":"\\x41"}'],
    ['an escape cut short', '{"a":"\\u00"}'],
    ['a missing colon', '{"a" 1}'],
    ['a name that is no string', '{1:1}'],
    ['a form', 'a=1&b=2'],
    ['markup', '<a>1</a>'],
    ['YAML', 'a: 1\n'],
    ['a no-break space', `${good}\u00a0`],
    ['100,000 brackets', '['.repeat(100_000)],
  ];
}

// RFC 3629, and RFC 8259 section 8.1: no byte order mark.
function bytes(): [label: string, bytes: Buffer][] {
  const inString = (...wrong: number[]): Buffer => Buffer.concat([toBody('{"a":"'), Buffer.from(wrong), toBody('"}')]);
  return [
    ['a byte order mark', toBody('\ufeff{}')],
    ['UTF-8: a continuation alone', inString(0x80)],
    ['UTF-8: a sign cut short', inString(0xc3)],
    ['UTF-8: a sign of three bytes cut short', inString(0xe2, 0x82)],
    ['UTF-8: overlong', inString(0xc0, 0xaf)],
    ['UTF-8: a surrogate', inString(0xed, 0xa0, 0x80)],
    ['UTF-8: beyond U+10FFFF', inString(0xf4, 0x90, 0x80, 0x80)],
    ['UTF-8: a byte that never occurs', inString(0xff)],
    ['Latin-1', inString(0xe9)],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['a NUL after the value', toBody('{}\0')],
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
