// Creates cases with large headers, targets and bodies.
import type { Case, Expectation } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import { toBody, validRequest } from './valid-request';

// Past every limit that a server has by default (node:http 16 KiB, nginx and Apache 8 KiB a line).
const TOO_LONG = 'x'.repeat(100_000);

/**
 * Creates cases just below and above the body limit, and far above the limits of the head.
 *
 * @param bodyLimit the largest body that the server takes, in bytes
 */
export function createSizeCases(values: Values, operation: Operation, bodyLimit: number): Case[] {
  const request = validRequest(values, operation);
  const createCase = (pointer: string, label: string, expect: Expectation, change: Partial<WireRequest>): Case => ({
    operation: operation.id,
    class: 'size',
    pointer,
    label,
    covers: [],
    request: { ...request, ...change },
    expect,
    leftOpen: 'RFC 9110 5.4, 15.5.14',
  });
  const heads = [
    createCase(operation.pointer, 'a header too long', 'refused', {
      bend: (head) => head.replace('\r\n\r\n', `\r\nX-Long: ${TOO_LONG}\r\n\r\n`),
    }),
    createCase(operation.pointer, 'a target too long', 'refused', {
      bend: (head) => head.replace(' HTTP/1.1', `?${TOO_LONG} HTTP/1.1`),
    }),
    createCase(operation.pointer, 'too many headers', 'refused', {
      bend: (head) => head.replace('\r\n\r\n', `\r\n${'X-A: 1\r\n'.repeat(10_000)}\r\n`),
    }),
  ];
  const { body } = operation;
  if (!body) return heads;
  // Trailing spaces lengthen a JSON body without changing its value; in a text they could exceed maxLength.
  const content = body.contents.find(({ kind }) => kind === 'json' || kind === 'bytes');
  const right = validRequest(values, operation, content ? { content } : {});
  const { body: sent = toBody('') } = right;
  const padded = (length: number): Partial<WireRequest> => ({
    ...right,
    body: Buffer.concat([sent, Buffer.alloc(Math.max(0, length - sent.length), ' ')]),
  });
  const large = padded(bodyLimit);
  return [
    ...heads,
    ...(content
      ? [
          createCase(body.pointer, 'a body as large as it may be', 'accepted', large),
          createCase(body.pointer, 'chunks as large as they may be', 'accepted', { ...large, framing: 'chunked' }),
        ]
      : []),
    createCase(body.pointer, 'a body of one byte more', 'refused', padded(bodyLimit + 1)),
    createCase(body.pointer, 'chunks of one byte more', 'refused', { ...padded(bodyLimit + 1), framing: 'chunked' }),
    {
      ...createCase(body.pointer, 'a length of a petabyte, and none of it', 'refused', {
        bend: (head) => head.replace(/Content-Length: \d+/, 'Content-Length: 1000000000000000'),
        body: undefined,
        framing: 'length',
      }),
      // A server may wait for the announced body until a timeout (RFC 9112 section 9.5).
      level: 'strict',
    },
  ];
}
