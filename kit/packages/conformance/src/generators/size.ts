// Creates cases with large headers, targets and bodies.
import { changeRequest, type Change, type Draft } from './case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import { writeLargeItem } from './sequences';
import { toBody, validRequest } from './valid-request';

// Past every limit that a server has by default (node:http 16 KiB, nginx and Apache 8 KiB a line).
const TOO_LONG = 'x'.repeat(100_000);

// Larger bodies take long to send, and a server need not parse JSON of such a size at once.
const MAX_SENT_BYTES = 8 * 1024 ** 2;
const MAX_JSON_BYTES = 4 * 1024 ** 2;

/** @param serviceLimit the largest body that the server takes, in bytes, where the contract has no `x-body-limit` */
export function createSizeCases(values: Values, operation: Operation, serviceLimit: number): Draft[] {
  const request = validRequest(values, operation);
  // No standard says how much a server must take.
  const createCase = (pointer: string, label: string, change: Change): Draft =>
    changeRequest(pointer, label, request, { implementationDefined: 'RFC 9110 5.4, 15.5.14', ...change });
  const headCases = OVERSIZED_HEADS.map(([label, changeHead]) => createCase(operation.pointer, label, { changeHead }));
  const { body } = operation;
  if (!body) return headCases;
  // Trailing spaces lengthen a JSON body without changing its value; in a text they could exceed maxLength.
  const bodyLimit = body.limit ?? serviceLimit;
  const isSmall = body.limit === undefined || bodyLimit <= MAX_SENT_BYTES;
  const mayBeJson = body.limit === undefined || bodyLimit <= MAX_JSON_BYTES;
  const content = body.contents.find(({ kind }) => (kind === 'json' && mayBeJson) || kind === 'bytes');
  const valid = validRequest(values, operation, content ? { content } : {});
  const { body: validBody = toBody('') } = valid;
  const padTo = (length: number): Partial<WireRequest> => ({
    ...valid,
    body: validBody,
    padding: Math.max(0, length - validBody.length),
  });
  const createPair = (label: string, change: Change): Draft[] => [
    createCase(body.pointer, `a body ${label}`, change),
    createCase(body.pointer, `a chunked body ${label}`, { ...change, framing: 'chunked' }),
  ];
  const sequences = body.contents.filter(({ kind }) => kind === 'sequence');
  return [
    ...headCases,
    ...(content && isSmall && validBody.length <= bodyLimit
      ? createPair('of the largest size', { ...padTo(bodyLimit), expect: 'accepted' })
      : []),
    ...(isSmall ? createPair('one byte too large', padTo(bodyLimit + 1)) : []),
    ...(isSmall
      ? sequences.flatMap((sequence) => {
          const large = writeLargeItem(values, sequence, bodyLimit);
          const sent = {
            ...validRequest(values, operation, { content: sequence, body: large }),
            expect: 'accepted',
          } as const;
          return large
            ? [createCase(sequence.pointer, `${sequence.mediaType}, an item of the largest size`, sent)]
            : [];
        })
      : []),
  ];
}

const OVERSIZED_HEADS: readonly (readonly [label: string, bend: (head: string) => string])[] = [
  ['an oversized header', (head) => head.replace('\r\n\r\n', `\r\nX-Long: ${TOO_LONG}\r\n\r\n`)],
  ['an oversized target', (head) => head.replace(' HTTP/1.1', `?${TOO_LONG} HTTP/1.1`)],
  ['too many headers', (head) => head.replace('\r\n\r\n', `\r\n${'X-A: 1\r\n'.repeat(10_000)}\r\n`)],
];
