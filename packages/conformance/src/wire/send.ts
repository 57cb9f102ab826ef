// Sends bytes over a socket, and reads the reply.
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { hasBody, isEventStream } from './reply';

// An endless reply must not fill the memory.
const MAX_REPLY_BYTES = 8 * 1024 ** 2;

// How long to wait for the first event of a stream after the head.
const FIRST_EVENT_MS = 1_000;

interface Sending {
  /** In milliseconds, for all of it. */
  readonly timeout: number;
  /** Whether to close our side after the last byte. */
  readonly isCut?: boolean;
  /** Given what was received, returns what to send next; undefined to wait. */
  readonly next?: ((received: Buffer) => Buffer | undefined) | undefined;
}

/**
 * Returns all that is received until the server closes the connection. A stream of events may never end: the suite
 * closes the connection after the first bytes of its body, or after a second without any.
 *
 * @throws Error when the time is over, the reply too large, or the connection fails before anything is received
 */
export function send(base: URL, bytes: Buffer, { timeout, isCut = false, next }: Sending): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(base);
    const received: Buffer[] = [];
    let size = 0;
    let askForMore = next;
    let isStream: boolean | undefined;
    let timer = setTimeout(() => {
      fail(`the response was not complete within ${String(timeout)} ms: ${String(size)} bytes arrived`);
    }, timeout);
    socket.on('data', (chunk: Buffer) => {
      size += chunk.length;
      received.push(chunk);
      if (size > MAX_REPLY_BYTES) fail(`the response is larger than ${String(MAX_REPLY_BYTES)} bytes`);
      stopAfterFirstEvent();
      sendMore();
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

    // Once, as soon as enough was received for it.
    function sendMore(): void {
      const more = askForMore?.(Buffer.concat(received));
      if (more === undefined) return;
      askForMore = undefined;
      socket.write(more);
    }

    // At the first event, or soon, once the head says that the reply is a stream of events.
    function stopAfterFirstEvent(): void {
      if (isStream === false) return;
      const all = Buffer.concat(received);
      // Undefined until the head is complete: look again at the next bytes.
      isStream = isEventStream(all);
      if (isStream !== true) return;
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), hasBody(all) ? 0 : FIRST_EVENT_MS);
    }

    function fail(message: string): void {
      clearTimeout(timer);
      socket.destroy();
      reject(new Error(message));
    }
  });
}

function openSocket({ protocol, hostname, port }: URL): Socket {
  // A URL has brackets around an IPv6 address.
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'https:') {
    // RFC 6066 section 3: an IP address is not sent as server name.
    const serverName = isIP(host) === 0 ? { servername: host } : {};
    return connectSecure({ host, ...serverName, port: Number(port || 443) });
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
