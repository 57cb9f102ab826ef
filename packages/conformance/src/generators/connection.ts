// Creates cases with two requests on one connection.
import type { Before, Case } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { NO_CREDENTIALS } from './credentials';
import { toBody, validRequest } from './valid-request';

// A server that does not read this body takes it for the next request (request smuggling).
const SMUGGLED_REQUEST = toBody('GET /no/such/path HTTP/1.1\r\nHost: a\r\n\r\n');

/**
 * Creates cases that send another request (`before`) and then the one of the case on one connection: each must have its
 * own reply, unless the server closes the connection after the first.
 */
export function createConnectionCases(values: Values, operation: Operation): Case[] {
  const request = validRequest(values, operation);
  const accepted: Before = { request, expect: 'accepted', isPipelined: false };
  const refused = createRefusedRequest(values, operation);
  const createCase = (label: string, before: Before): Case => ({
    operation: operation.id,
    class: 'connection',
    pointer: operation.pointer,
    label,
    // No rule of a schema or a parameter is tested.
    covers: [],
    request,
    // `isKept`: the connection stays open behind it.
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
    // Pipelined: the second request follows before the reply to the first.
    createCase('behind a refused one, without waiting (RFC 9112 9.3.2)', { ...refused, isPipelined: true }),
    ...(needsCredentials(operation) ? [anonymousAfterValid] : []),
  ];
}

function needsCredentials({ alternatives }: Operation): boolean {
  return alternatives.every((schemes) => schemes.length > 0);
}

/**
 * A request that a server refuses before it reads the body: without credentials, or to an unknown path. Its body looks
 * like a request: a server that leaves it unread must not take it for the next one (request smuggling).
 */
function createRefusedRequest(values: Values, operation: Operation): Pick<Before, 'request' | 'expect'> {
  if (needsCredentials(operation) && operation.body) {
    const request = validRequest(values, operation, { credentials: NO_CREDENTIALS, body: SMUGGLED_REQUEST });
    return { request, expect: 'no credentials' };
  }
  const target = '/no/such/path';
  return { request: { method: 'POST', target, headers: [], body: SMUGGLED_REQUEST }, expect: 'unknown path' };
}
