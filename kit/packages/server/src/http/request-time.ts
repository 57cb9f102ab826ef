import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

// A client has 30 s, plus the time its body takes at 100 kB/s.
const TIME_WITHOUT_BODY_MS = 30_000;
const SLOWEST_BYTES_PER_MS = 100;
/** The longest timeout that Node's timers and node:http support. A longer one would fire at once. */
export const MAX_TIME_MS = 2 ** 31 - 1;

/** Returns how long a request with a body of this many bytes may take, in milliseconds. */
export function timeFor(bodyBytes: number): number {
  return Math.min(MAX_TIME_MS, TIME_WITHOUT_BODY_MS + Math.ceil(bodyBytes / SLOWEST_BYTES_PER_MS));
}

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Aborts requests that take longer than `limit` milliseconds. node:http's own limit is the same for all requests, so it has to
 * allow for the largest body of any operation.
 */
export function limitRequestTime(server: Server, limit: number): void {
  server.prependListener('request', (req: IncomingMessage) => {
    if (isFramed(req)) startTimer(server, req, limit);
  });
}

/** Whether a request has a body, which may be empty (RFC 9112 section 6). */
export function isFramed({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** Gives a request enough time for a body of this many bytes, instead of the limit that limitRequestTime set. */
export function allowTime(req: IncomingMessage, bodyBytes: number): void {
  if (timers.has(req)) startTimer((req.socket as Socket & { readonly server: Server }).server, req, timeFor(bodyBytes));
}

/** Stops the clock until allowTime starts it again. */
export function stopTime(req: IncomingMessage): void {
  clearTimeout(timers.get(req));
}

function startTimer(server: Server, req: IncomingMessage, limit: number): void {
  const isFirst = !timers.has(req);
  stopTime(req);
  const timer = setTimeout(() => {
    // The error of node:http's own timeout.
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', error, req.socket);
  }, limit).unref();
  timers.set(req, timer);
  for (const event of isFirst ? ['end', 'close'] : []) {
    req.once(event, () => {
      stopTime(req);
      // For items, allowTime may be called later, when the connection is closed or serves the next request.
      timers.delete(req);
    });
  }
}
