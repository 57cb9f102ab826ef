// The id of a request.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const WELL_FORMED = /^[A-Za-z0-9._-]{8,64}$/;
// https://www.w3.org/TR/trace-context/#traceparent-header
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

// A WeakMap would cost each request more than the id itself.
const ID = Symbol('id');

/** A well-formed X-Request-Id, the trace id of a traceparent, or a new id. The first call decides it. */
export function requestIdOf(req: IncomingMessage & { [ID]?: string | undefined }): string {
  return (req[ID] ??= givenId(req) ?? createRequestId());
}

/** Creates an id; for a request that the parser could not read, call it directly. */
export function createRequestId(): string {
  return randomUUID();
}

function givenId({ headers }: IncomingMessage): string | undefined {
  const id = headers['x-request-id'];
  // The id is logged: do not take one that is part of the credentials.
  if (typeof id === 'string' && WELL_FORMED.test(id) && headers.authorization?.includes(id) !== true) return id;
  const traceparent = headers['traceparent'];
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
