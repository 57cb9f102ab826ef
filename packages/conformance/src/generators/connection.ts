// Creates cases with two requests on one connection.
import type { Before, Case } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { NO_CREDENTIALS } from './credentials';
import { toBody, validRequest } from './valid-request';

// A server that does not read this body takes it for the next request (request smuggling).
const SMUGGLED_REQUEST = toBody('GET /no/such/path HTTP/1.1\r\nHost: a\r\n\r\n');

/** Each of two requests on a connection must have its own reply, unless the server closes it after the first. */
export function createConnectionCases(values: Values, operation: Operation): Case[] {
  const request = validRequest(values, operation);
  const accepted: Before = { request, expect: 'accepted', isPipelined: false };
  const refused = createRefusedRequest(values, operation);
  const createCase = (label: string, before: Before): Case => ({
    operation: operation.id,
    class: 'connection',
    pointer: operation.pointer,
    label,
    request,
    before: { ...before, request: { ...before.request, isKept: true } },
    expect: 'accepted',
  });
  const anonymousAfterValid: Case = {
    ...createCase('no credentials, after right ones (RFC 9110 3.3)', accepted),
    request: validRequest(values, operation, { credentials: NO_CREDENTIALS }),
    expect: 'no credentials',
  };
  return [
    createCase('after a right one (RFC 9112 9.3)', accepted),
    createCase('after one whose body is not read (RFC 9112 9.3)', { ...refused, isPipelined: false }),
    createCase('behind a refused one, without waiting (RFC 9112 9.3.2)', { ...refused, isPipelined: true }),
    ...(needsCredentials(operation) ? [anonymousAfterValid] : []),
  ];
}

function needsCredentials({ alternatives }: Operation): boolean {
  return alternatives.every((schemes) => schemes.length > 0);
}

// Refused before its body is read: for lack of credentials, or for an unknown path.
function createRefusedRequest(values: Values, operation: Operation): Pick<Before, 'request' | 'expect'> {
  if (needsCredentials(operation) && operation.body) {
    const request = validRequest(values, operation, { credentials: NO_CREDENTIALS, body: SMUGGLED_REQUEST });
    return { request, expect: 'no credentials' };
  }
  const target = '/no/such/path';
  return { request: { method: 'POST', target, headers: [], body: SMUGGLED_REQUEST }, expect: 'unknown path' };
}
