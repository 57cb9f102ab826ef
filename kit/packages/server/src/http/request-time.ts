import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

// A client has 30 s, plus the time its body takes at 100 kB/s.
const TIME_WITHOUT_BODY_MS = 30_000;
const MIN_BYTES_PER_MS = 100;
/** The longest timeout that Node's timers and node:http support. A longer one would fire immediately. */
export const MAX_TIME_MS = 2 ** 31 - 1;

/** Returns the time limit, in milliseconds, of a request with a body of this size. */
export function timeFor(bodyBytes: number): number {
  return Math.min(MAX_TIME_MS, TIME_WITHOUT_BODY_MS + Math.ceil(bodyBytes / MIN_BYTES_PER_MS));
}

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Aborts requests that take longer than `limit` milliseconds. node:http has one limit for all requests, which must be long
 * enough for the largest body of any operation.
 */
export function limitRequestTime(server: Server, limit: number): void {
  server.prependListener('request', (req: IncomingMessage) => {
    if (isFramed(req)) startTimer(server, req, limit);
  });
}

/** Whether a request has a body, even if it is empty (RFC 9112 section 6). */
export function isFramed({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** Restarts a request's timer, with enough time for a body of this size instead of limitRequestTime's limit. */
export function allowTime(req: IncomingMessage, bodyBytes: number): void {
  if (timers.has(req)) startTimer((req.socket as Socket & { readonly server: Server }).server, req, timeFor(bodyBytes));
}

/** Stops a request's timer until allowTime restarts it. */
export function stopTime(req: IncomingMessage): void {
  clearTimeout(timers.get(req));
}

function startTimer(server: Server, req: IncomingMessage, limit: number): void {
  const isFirst = !timers.has(req);
  stopTime(req);
  const timer = setTimeout(() => {
    // node:http emits the same error for its own timeout.
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', error, req.socket);
  }, limit).unref();
  timers.set(req, timer);
  for (const event of isFirst ? ['end', 'close'] : []) {
    req.once(event, () => {
      stopTime(req);
      // Otherwise, allowTime could restart the timer for an item after the connection was closed or reused.
      timers.delete(req);
    });
  }
}
