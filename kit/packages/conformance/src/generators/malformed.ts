// Creates cases with malformed bodies and malformed HTTP.
import { changeRequest, type Change, type Draft } from './case';
import type { Operation } from '../contract/model';
import { changeCase } from '../values/objects';
import type { Values } from '../values/variant';
import { malformedBodiesOf } from './malformed-bodies';
import { toBody, validRequest } from './valid-request';

/** Creates cases with malformed bodies of each declared media type, and with malformed HTTP around a valid body. */
export function createMalformedCases(values: Values, operation: Operation): Draft[] {
  const { body, pointer: operationPointer } = operation;
  const request = validRequest(values, operation);
  const headCases = MALFORMED_HEADS.map(([label, changeHead, more]) =>
    changeRequest(operationPointer, label, request, { changeHead, ...more }),
  );
  if (!body) return headCases;
  const bodyCases = body.contents.flatMap((content, index) => {
    const validBase = validRequest(values, operation, { content });
    const labelStart = index === 0 ? '' : `${content.mediaType}, `;
    return malformedBodiesOf(content, String(validBase.body)).map(([label, malformed, more]) =>
      changeRequest(body.pointer, `${labelStart}${label}`, validBase, { body: Buffer.from(malformed), ...more }),
    );
  });
  const framings = request.body ? wrongFramings(request.body) : [];
  const framingCases = framings.map(([label, change]) => changeRequest(operationPointer, label, request, change));
  return [...bodyCases, ...framingCases, ...headCases];
}

// RFC 9112 or 9110 says that the server MUST refuse these, so they count at every level.
const MUST_BE_REFUSED = { level: 'contract' } as const;

// A server may guess what is meant, and accept it.
const MAY_BE_RECOVERED = { implementationDefined: 'RFC 9110 2.4' } as const;

// RFC 9112 sections 6 and 7. `changeHead` changes the head of a valid request; `isHalfClosed` ends it, since
// the server waits for more bytes.
function wrongFramings(body: Buffer): [label: string, change: Change][] {
  const length = String(body.length);
  const more = String(body.length + 1);
  const size = body.length.toString(16);
  const replacements: readonly (readonly [label: string, header: string, change?: Change])[] = [
    ['fewer bytes than the Content-Length', `Content-Length: ${more}`, { isHalfClosed: true }],
    ['a Content-Length of letters (RFC 9112 6.3)', 'Content-Length: abc', MUST_BE_REFUSED],
    ['a negative Content-Length (RFC 9112 6.3)', 'Content-Length: -1', MUST_BE_REFUSED],
    ['a Content-Length with a sign (RFC 9112 6.3)', `Content-Length: +${length}`, MUST_BE_REFUSED],
    ['two Content-Lengths (RFC 9112 6.3)', `Content-Length: ${length}\r\nContent-Length: ${more}`, MUST_BE_REFUSED],
    [
      'a Content-Length and chunks',
      `Content-Length: ${length}\r\nTransfer-Encoding: chunked`,
      { body: Buffer.concat([body, toBody('\r\n')]) },
    ],
    ['an unknown transfer coding', 'Transfer-Encoding: what'],
    ['a chunk size that is not a number', CHUNKED, { body: Buffer.concat([toBody('xyz\r\n'), body]) }],
    ['chunks that end early', CHUNKED, { body: Buffer.concat([toBody(`${size}\r\n`), body]), isHalfClosed: true }],
  ];
  return [
    ...replacements.map(([label, header, change]): [string, Change] => [
      label,
      { changeHead: (head) => head.replace(/Content-Length: \d+/, header), ...change },
    ]),
    // The server must not merge it into the headers, and may refuse it.
    [
      'a Content-Length in a trailer (RFC 9112 7.1.2)',
      { framing: 'chunked', trailers: [['Content-Length', '1']], expect: 'answered' },
    ],
  ];
}

const CHUNKED = 'Transfer-Encoding: chunked';

// Changes to the request line and the headers that make them malformed (RFC 9112 sections 2 to 5).
const MALFORMED_HEADS: readonly (readonly [label: string, bend: (head: string) => string, more?: Change])[] = [
  ['no Host (RFC 9112 3.2)', (head) => head.replace(/Host: .*\r\n/, ''), MUST_BE_REFUSED],
  ['two Hosts (RFC 9112 3.2)', (head) => head.replace(/Host: .*\r\n/, '$&Host: other.example\r\n'), MUST_BE_REFUSED],
  ['a malformed Host (RFC 9112 3.2)', (head) => head.replace(/Host: .*\r\n/, 'Host: a b\r\n'), MUST_BE_REFUSED],
  // A server with one host may accept it.
  ['an empty Host (RFC 9112 3.3)', (head) => head.replace(/Host: .*\r\n/, 'Host:\r\n'), { expect: 'answered' }],
  ['a header without a colon', (head) => head.replace('\r\n\r\n', '\r\nnonsense\r\n\r\n'), MAY_BE_RECOVERED],
  [
    'white space before a colon (RFC 9112 5.1)',
    (head) => head.replace('\r\n\r\n', '\r\nX-A : 1\r\n\r\n'),
    MUST_BE_REFUSED,
  ],
  ['a header without a name', (head) => head.replace('\r\n\r\n', '\r\n: 1\r\n\r\n'), MAY_BE_RECOVERED],
  ['an unknown version', (head) => head.replace('HTTP/1.1', 'HTTP/9.9'), { implementationDefined: 'RFC 9110 2.5' }],
  ['no version', (head) => head.replace(' HTTP/1.1', '')],
  ['a space in the target', (head) => head.replace(' HTTP/1.1', ' x HTTP/1.1')],
  ['a target without a slash', (head) => head.replace(/ \//, ' ')],
  ['a URL without a host (RFC 9110 4.2.1)', (head) => head.replace(' /', ' http:///'), MUST_BE_REFUSED],
  ['an unknown method', (head) => head.replace(/^\w+/, 'PLEASE')],
  ['a method in the other case', (head) => head.replace(/^\w+/, changeCase)],
  ['nonsense', () => 'nonsense\r\n\r\n'],
  ['a TLS greeting', () => '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n'],
];
