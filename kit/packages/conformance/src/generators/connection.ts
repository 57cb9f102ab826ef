// Creates cases with two requests on one connection.
import type { Before, Draft } from './case';
import { isPublic, type Content, type Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { NO_CREDENTIALS } from './credentials';
import { toBody, validRequest } from './valid-request';

// A server that does not read this body takes it for the next request (request smuggling).
const SMUGGLED_REQUEST = toBody('GET /no/such/path HTTP/1.1\r\nHost: a\r\n\r\n');

/** Each of two requests on a connection must have its own reply, unless the server closes it after the first. */
export function createConnectionCases(values: Values, operation: Operation): Draft[] {
  const request = validRequest(values, operation);
  const accepted: Before = { request, expect: 'accepted', isPipelined: false };
  const refused = createRefusedRequest(values, operation);
  const createCase = (label: string, before: Before): Draft => ({
    pointer: operation.pointer,
    label,
    request,
    before: { ...before, request: { ...before.request, isKeptAlive: true } },
    expect: 'accepted',
  });
  const anonymousAfterValid: Draft = {
    ...createCase('no credentials, after a request with valid ones (RFC 9110 3.3)', accepted),
    request: validRequest(values, operation, { credentials: NO_CREDENTIALS }),
    expect: 'no credentials',
  };
  return [
    createCase('after a valid request (RFC 9112 9.3)', accepted),
    createCase('after a refused request with a body (RFC 9112 9.3)', { ...refused, isPipelined: false }),
    createCase('pipelined behind a refused request (RFC 9112 9.3.2)', { ...refused, isPipelined: true }),
    ...(!isPublic(operation) ? [anonymousAfterValid] : []),
  ];
}

// Refused for lack of credentials, for its body, or for an unknown path.
function createRefusedRequest(values: Values, operation: Operation): Pick<Before, 'request' | 'expect'> {
  if (!isPublic(operation) && operation.body) {
    const request = validRequest(values, operation, { credentials: NO_CREDENTIALS, body: SMUGGLED_REQUEST });
    return { request, expect: 'refused' };
  }
  const target = '/no/such/path';
  return { request: { method: 'POST', target, headers: [], body: SMUGGLED_REQUEST }, expect: 'unknown path' };
}

/** Creates cases that send one valid request `times` times at once: each must have a success. */
export function createRepeatCases(values: Values, operation: Operation): Draft[] {
  const createCase = (times: number): Draft => ({
    pointer: operation.pointer,
    label: `sent ${String(times)} times concurrently`,
    request: validRequest(values, operation),
    expect: 'accepted',
    times,
  });
  // Streams that the suite leaves while they are open.
  const many: Draft = { ...createCase(50), level: 'robust' };
  return [createCase(2), createCase(16), ...(streamsOf(operation).length > 0 ? [many] : [])];
}

/** The sequences of items among the successes of an operation. */
export function streamsOf({ replies }: Operation): Content[] {
  const successes = [...replies].filter(([status]) => status.startsWith('2'));
  return successes.flatMap(([, { contents }]) => contents.filter(({ kind }) => kind === 'sequence'));
}

/** A test makes handlers throw (`broken`), the database unavailable (`away`) or timeouts short (`impatient`). */
export function createFaultCases(values: Values, operation: Operation): Draft[] {
  const request = validRequest(values, operation);
  const { pointer } = operation;
  // Without its last line break the head never ends, so the server waits for the rest until its timeout.
  const endlessHead = (head: string): string => head.slice(0, -2);
  return [
    { pointer, label: 'a dependency fails', request, expect: 'failed', situation: 'broken' },
    { pointer, label: 'a dependency is unavailable', request, expect: 'unavailable', situation: 'away' },
    {
      pointer,
      label: 'the client is too slow',
      request: { ...request, changeHead: endlessHead, body: undefined, framing: 'none' },
      expect: 'refused',
      situation: 'impatient',
    },
  ];
}
