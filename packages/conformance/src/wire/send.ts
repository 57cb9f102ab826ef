// Sends bytes over a socket, and reads the reply.
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { hasBody, isEventStream } from './event-stream';

// An endless reply must not fill the memory.
const MAX_REPLY = 8 * 1024 ** 2;

// How long to wait for the first event after the head.
const HEAD_MS = 1_000;

/** How bytes are sent. */
export interface Sending {
  /** In milliseconds, for all of it. */
  readonly timeout: number;
  /** Whether to close our side after the last byte. */
  readonly isCut?: boolean;
  /** Given what was received, returns what to send next; undefined to wait. */
  readonly next?: ((received: Buffer) => Buffer | undefined) | undefined;
}

/**
 * Sends bytes on a new connection, and returns what is received until the server closes it. A stream of events may
 * never end: then the head and the first bytes are enough.
 */
export function send(base: URL, bytes: Buffer, { timeout, isCut = false, next }: Sending): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(base);
    const received: Buffer[] = [];
    let timer = setTimeout(() => {
      fail(`nothing ended the connection within ${String(timeout)} ms; ${String(size)} bytes came`);
    }, timeout);
    let size = 0;
    let follow = next;
    let isStream: boolean | undefined;
    socket.on('data', (chunk: Buffer) => {
      size += chunk.length;
      received.push(chunk);
      if (size > MAX_REPLY) fail(`the reply is larger than ${String(MAX_REPLY)} bytes`);
      watchEvents();
      const more = follow?.(Buffer.concat(received));
      if (more === undefined) return;
      follow = undefined;
      socket.write(more);
    });
    // A server that refuses early may reset the connection; what was received before counts.
    socket.on('error', (error) => {
      if (received.length === 0 && !isReset(error)) fail(describeError(error));
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(received));
    });
    if (isCut) socket.end(bytes);
    else socket.write(bytes);

    // Once the head says that the reply is a stream of events, wait only for the first event.
    function watchEvents(): void {
      if (isStream === false) return;
      const all = Buffer.concat(received);
      isStream = isEventStream(all);
      if (isStream !== true) return;
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), hasBody(all) ? 0 : HEAD_MS);
    }

    function fail(message: string): void {
      clearTimeout(timer);
      socket.destroy();
      reject(new Error(message));
    }
  });
}

function openSocket({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'https:') {
    // RFC 6066 section 3: an IP address is not sent as server name.
    const name = isIP(host) === 0 ? { servername: host } : {};
    return connectSecure({ host, ...name, port: Number(port || 443) });
  }
  return connectPlain({ host, port: Number(port || 80), noDelay: true });
}

// The server closed the connection without reading everything.
function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

// An AggregateError has an error for each address of a host name.
function describeError(error: Error): string {
  return error instanceof AggregateError ? error.errors.map((each: Error) => each.message).join(', ') : error.message;
}
