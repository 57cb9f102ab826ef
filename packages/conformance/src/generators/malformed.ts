import type { Case } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import { baseBody } from './body-values';
import { malformedContents } from './malformed-bodies';
import { toBody, validRequest } from './valid-request';

/** Bodies that are not JSON in UTF-8, and messages that are not HTTP. */
export function malformed(values: Values, operation: Operation): Case[] {
  const request = validRequest(values, operation);
  const made = (pointer: string, label: string, change: Partial<WireRequest>, base = request): Case => ({
    operation: operation.id,
    class: 'malformed',
    pointer,
    label,
    covers: [],
    request: { ...base, ...change },
    expect: 'refused',
  });
  const { body } = operation;
  return [
    ...(body?.contents ?? []).flatMap((content, index) =>
      malformedContents(content.kind, baseBody(values, content).toString('utf8')).map(([label, sent]) =>
        made(
          body?.pointer ?? operation.pointer,
          index === 0 ? label : `${content.mediaType}, ${label}`,
          { body: Buffer.from(sent) },
          validRequest(values, operation, { content }),
        ),
      ),
    ),
    ...(body && request.body ? framings(request.body).map(([label, change]) => made(body.pointer, label, change)) : []),
    ...HEADS.map(([label, bend]) => made(operation.pointer, label, { bend })),
    {
      ...made(operation.pointer, 'the Host twice', { bend: (head) => head.replace(/Host: .*\r\n/, '$&$&') }),
      // RFC 9112 section 3.2 forbids it, and proxies make one of it on purpose.
      level: 'strict',
    },
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
  ['two Hosts', (head) => head.replace(/Host: .*\r\n/, '$&Host: other.example\r\n')],
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
