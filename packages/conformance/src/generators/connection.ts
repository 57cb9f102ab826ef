// Creates cases with two requests on one connection.
import type { Before, Case } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { toBody, validRequest } from './valid-request';

// A server that does not read this body takes it for the next request (request smuggling).
const HIDDEN = toBody('GET /no/such/path HTTP/1.1\r\nHost: a\r\n\r\n');

/**
 * Sends two requests on one connection: each has its own reply, unless the server closes the connection after the
 * first.
 */
export function createConnectionCases(values: Values, operation: Operation): Case[] {
  const request = validRequest(values, operation);
  const refused = createRefusedRequest(values, operation);
  const createCase = (label: string, before: Before): Case => ({
    operation: operation.id,
    class: 'connection',
    pointer: operation.pointer,
    label,
    covers: [],
    request,
    before: { ...before, request: { ...before.request, isKept: true } },
    expect: 'accepted',
  });
  return [
    createCase('after a right one (RFC 9112 9.3)', { request, expect: 'accepted', isPipelined: false }),
    createCase('after one whose body is not read (RFC 9112 9.3)', { ...refused, isPipelined: false }),
    createCase('behind a refused one, without waiting (RFC 9112 9.3.2)', { ...refused, isPipelined: true }),
    ...(isSecured(operation)
      ? [
          {
            ...createCase('no credentials, after right ones (RFC 9110 3.3)', {
              request,
              expect: 'accepted',
              isPipelined: false,
            }),
            request: validRequest(values, operation, { credentials: NONE }),
            expect: 'no credentials' as const,
          },
        ]
      : []),
  ];
}

const NONE = { headers: [], query: [], cookies: [] };

function isSecured({ alternatives }: Operation): boolean {
  return alternatives.every((schemes) => schemes.length > 0);
}

function createRefusedRequest(values: Values, operation: Operation): Pick<Before, 'request' | 'expect'> {
  if (isSecured(operation) && operation.body) {
    const request = validRequest(values, operation, { credentials: NONE, body: HIDDEN });
    return { request, expect: 'no credentials' };
  }
  return { request: { method: 'POST', target: '/no/such/path', headers: [], body: HIDDEN }, expect: 'unknown path' };
}
