import type { Case } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import { malformedBodiesOf } from './malformed-bodies';
import { toBody, validRequest } from './valid-request';

/** Creates cases with malformed bodies, and with malformed HTTP. */
export function createMalformedCases(values: Values, operation: Operation): Case[] {
  const request = validRequest(values, operation);
  const createCase = (
    pointer: string,
    label: string,
    { level, leftOpen, expect = 'refused', ...change }: Change,
    base = request,
  ): Case => ({
    operation: operation.id,
    class: 'malformed',
    pointer,
    label,
    covers: [],
    request: { ...base, ...change },
    expect,
    leftOpen,
    ...(level && { level }),
  });
  const { body } = operation;
  return [
    ...(body?.contents ?? []).flatMap((content, index) =>
      malformedBodiesOf(content.kind, String(validRequest(values, operation, { content }).body)).map(
        ([label, sent, more]) =>
          createCase(
            body?.pointer ?? operation.pointer,
            index === 0 ? label : `${content.mediaType}, ${label}`,
            { body: Buffer.from(sent), ...more },
            validRequest(values, operation, { content }),
          ),
      ),
    ),
    ...(body && request.body
      ? wrongFramings(request.body).map(([label, change]) => createCase(body.pointer, label, change))
      : []),
    ...HEADS.map(([label, bend, more]) => createCase(operation.pointer, label, { bend, ...more })),
  ];
}

type Change = Partial<WireRequest> & Partial<Pick<Case, 'level' | 'expect' | 'leftOpen'>>;

// A standard says that the server MUST refuse these.
const MUST = { level: 'contract' } as const;

const RECOVERABLE = { leftOpen: 'RFC 9110 2.4' } as const;

// Messages whose length or chunks are wrong (RFC 9112 sections 6 and 7).
function wrongFramings(body: Buffer): [label: string, change: Change][] {
  const { length } = body;
  const replaceLength = (header: string) => (head: string) => head.replace(/Content-Length: \d+\r\n/, header);
  return [
    [
      'fewer bytes than the Content-Length',
      { bend: replaceLength(`Content-Length: ${String(length + 1)}\r\n`), isCut: true },
    ],
    ['a Content-Length of letters (RFC 9112 6.3)', { bend: replaceLength('Content-Length: abc\r\n'), ...MUST }],
    ['a negative Content-Length (RFC 9112 6.3)', { bend: replaceLength('Content-Length: -1\r\n'), ...MUST }],
    [
      'a Content-Length with a sign (RFC 9112 6.3)',
      { bend: replaceLength(`Content-Length: +${String(length)}\r\n`), ...MUST },
    ],
    [
      'two Content-Lengths (RFC 9112 6.3)',
      {
        bend: replaceLength(`Content-Length: ${String(length)}\r\nContent-Length: ${String(length + 1)}\r\n`),
        ...MUST,
      },
    ],
    [
      'a Content-Length and chunks',
      { bend: replaceLength(`Content-Length: ${String(length)}\r\nTransfer-Encoding: chunked\r\n`) },
    ],
    // The server must not merge it into the headers, and may refuse it.
    [
      'a Content-Length in a trailer (RFC 9112 7.1.2)',
      { framing: 'chunked', trailers: [['Content-Length', '1']], expect: 'answered' },
    ],
    ['an unknown transfer coding', { bend: replaceLength('Transfer-Encoding: what\r\n') }],
    [
      'a chunk size that is no number',
      { bend: replaceLength('Transfer-Encoding: chunked\r\n'), body: Buffer.concat([toBody('xyz\r\n'), body]) },
    ],
    [
      'chunks that end early',
      {
        bend: replaceLength('Transfer-Encoding: chunked\r\n'),
        body: Buffer.concat([toBody(`${length.toString(16)}\r\n`), body]),
        isCut: true,
      },
    ],
  ];
}

// Changes to the request line and the headers that make them malformed (RFC 9112 sections 2 to 5).
const HEADS: readonly (readonly [label: string, bend: (head: string) => string, more?: Change])[] = [
  ['no Host (RFC 9112 3.2)', (head) => head.replace(/Host: .*\r\n/, ''), MUST],
  ['two Hosts (RFC 9112 3.2)', (head) => head.replace(/Host: .*\r\n/, '$&Host: other.example\r\n'), MUST],
  // RFC 9112 section 3.2 forbids it too, but proxies merge equal Host headers on purpose.
  ['the Host twice', (head) => head.replace(/Host: .*\r\n/, '$&$&'), { level: 'strict' }],
  ['a Host that is none (RFC 9112 3.2)', (head) => head.replace(/Host: .*\r\n/, 'Host: a b\r\n'), MUST],
  // A server with one host may accept it.
  ['an empty Host (RFC 9112 3.3)', (head) => head.replace(/Host: .*\r\n/, 'Host:\r\n'), { expect: 'answered' }],
  ['a header without a colon', (head) => head.replace('\r\n\r\n', '\r\nnonsense\r\n\r\n'), RECOVERABLE],
  ['white space before a colon (RFC 9112 5.1)', (head) => head.replace('\r\n\r\n', '\r\nX-A : 1\r\n\r\n'), MUST],
  ['a header without a name', (head) => head.replace('\r\n\r\n', '\r\n: 1\r\n\r\n'), RECOVERABLE],
  // RFC 9110 section 5.5: a server may replace NUL by a space.
  ['a NUL in a header', (head) => head.replace('\r\n\r\n', '\r\nX-A: \0\r\n\r\n'), { level: 'strict' }],
  ['an unknown version', (head) => head.replace('HTTP/1.1', 'HTTP/9.9'), { leftOpen: 'RFC 9110 2.5' }],
  ['no version', (head) => head.replace(' HTTP/1.1', '')],
  ['a space in the target', (head) => head.replace(' HTTP/1.1', ' x HTTP/1.1')],
  ['a target without a slash', (head) => head.replace(/ \//, ' ')],
  ['a URL without a host (RFC 9110 4.2.1)', (head) => head.replace(' /', ' http:///'), MUST],
  ['an unknown method', (head) => head.replace(/^\w+/, 'PLEASE')],
  ['a method in lower case', (head) => head.replace(/^\w+/, (method) => method.toLowerCase())],
  ['nonsense', () => 'nonsense\r\n\r\n'],
  ['a TLS greeting', () => '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n'],
  // RFC 9110 section 10.1.1: a server may ignore it.
  ['an unknown expectation', (head) => head.replace('\r\n\r\n', '\r\nExpect: wonders\r\n\r\n'), { level: 'strict' }],
];
