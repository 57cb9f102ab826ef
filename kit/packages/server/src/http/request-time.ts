// How long a client may take to send a request.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

// A body may come at 100 kB/s, after 30 s for everything else.
const TIME_WITHOUT_BODY_MS = 30_000;
const SLOWEST_BYTES_PER_MS = 100;
/** The longest time that a timer of Node can have, and that node:http takes; a longer one would be over at once. */
export const MAX_TIME_MS = 2 ** 31 - 1;

/** How many milliseconds a request with a body of this many bytes may take. */
export function timeFor(bodyBytes: number): number {
  return Math.min(MAX_TIME_MS, TIME_WITHOUT_BODY_MS + Math.ceil(bodyBytes / SLOWEST_BYTES_PER_MS));
}

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Gives each request of a server this many milliseconds. node:http has one limit for all requests: it is that of the largest body
 * of any operation, and may be longer.
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

/** Gives a request the time for a body of this many bytes in place of that of its server, where limitRequestTime counts. */
export function allowTime(req: IncomingMessage, bodyBytes: number): void {
  if (timers.has(req)) startTimer((req.socket as Socket & { readonly server: Server }).server, req, timeFor(bodyBytes));
}

/** Stops that time, until allowTime gives more. */
export function stopTime(req: IncomingMessage): void {
  clearTimeout(timers.get(req));
}

function startTimer(server: Server, req: IncomingMessage, limit: number): void {
  const isFirst = !timers.has(req);
  stopTime(req);
  const timer = setTimeout(() => {
    // As node:http says it.
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', error, req.socket);
  }, limit).unref();
  timers.set(req, timer);
  for (const event of isFirst ? ['end', 'close'] : []) {
    req.once(event, () => {
      stopTime(req);
      // A handler may still ask for items: its connection is closed by then, or serves the next request.
      timers.delete(req);
    });
  }
}
