import { changeRequest, type Change, type Draft } from './case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { createMalformedBodies } from './malformed-bodies';
import { toBody, validRequest } from './valid-request';

export function createMalformedCases(values: Values, operation: Operation): Draft[] {
  const { body, pointer } = operation;
  const request = validRequest(values, operation);
  if (!body) return [];
  const bodyCases = body.contents.flatMap((content, index) => {
    const validBase = validRequest(values, operation, { content });
    const labelStart = index === 0 ? '' : `${content.mediaType}, `;
    return createMalformedBodies(content, String(validBase.body)).map(([label, malformed, more]) =>
      changeRequest(body.pointer, `${labelStart}${label}`, validBase, { body: Buffer.from(malformed), ...more }),
    );
  });
  const framings = request.body ? createContradictoryFramings(request.body) : [];
  return [...bodyCases, ...framings.map(([label, change]) => changeRequest(pointer, label, request, change))];
}

// For a request that counts at every level, because RFC 9112 says that the server MUST refuse it.
const AT_EVERY_LEVEL = { level: 'contract' } as const;

// If a proxy and a server read different lengths, they disagree on where the next request begins, which allows request
// smuggling (RFC 9112 sections 6 and 7).
function createContradictoryFramings(body: Buffer): [label: string, change: Change][] {
  const length = `Content-Length: ${String(body.length)}`;
  const replacements: readonly (readonly [label: string, header: string, change?: Change])[] = [
    ['two Content-Lengths (RFC 9112 6.3)', `${length}\r\nContent-Length: ${String(body.length + 1)}`, AT_EVERY_LEVEL],
    [
      'a Content-Length and chunks',
      `${length}\r\nTransfer-Encoding: chunked`,
      { body: Buffer.concat([body, toBody('\r\n')]) },
    ],
    ['an unknown transfer coding', 'Transfer-Encoding: what'],
  ];
  return [
    ...replacements.map(([label, header, change]): [string, Change] => [
      label,
      { changeHead: (head) => head.replace(/Content-Length: \d+/, header), ...change },
    ]),
    // The server may refuse the trailer, but must not treat it as a header.
    [
      'a Content-Length in a trailer (RFC 9112 7.1.2)',
      { framing: 'chunked', trailers: [['Content-Length', '1']], expect: 'answered' },
    ],
  ];
}
