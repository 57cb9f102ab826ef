// Sends bytes over a socket, and reads the reply.
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { ReplyReader, valuesOf } from './reply';
import { framingOf, markOf, type Framing } from './sequence';

// An endless reply must not fill the memory.
const MAX_REPLY_BYTES = 8 * 1024 ** 2;

// How long to wait for the first bytes of a stream, and for how many items and how long to read on.
const FIRST_ITEM_MS = 1_000;
const MAX_ITEMS = 1_000;
const READ_ON_MS = 50;

interface Sending {
  /** In milliseconds, for all of it. */
  readonly timeout: number;
  /** Whether to close our side after the last byte. */
  readonly isCut?: boolean;
  /** How long to read a stream of items after its first bytes, in milliseconds. */
  readonly readOn?: number | undefined;
}

/** What a server sent until the connection was closed, and whether the suite closed it before the end of a stream. */
export interface Received {
  readonly bytes: Buffer;
  readonly isLeft: boolean;
}

/**
 * Returns all that is received until the server closes the connection. A stream of items may never end: the suite closes
 * the connection after so many items, or after some time.
 *
 * @throws Error when the time is over, the reply too large, or the connection fails before anything is received
 */
export function send(
  base: URL,
  bytes: Buffer,
  { timeout, isCut = false, readOn = READ_ON_MS }: Sending,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(base);
    // More than is received, so that a server that sends a byte at a time does not make the suite copy all for each.
    let buffer = Buffer.alloc(0);
    let size = 0;
    // For its head, the method does not matter.
    const reader = new ReplyReader('GET');
    // Null for a reply that is not a stream, undefined while that is unknown.
    let framing: Framing | null | undefined;
    let items = 0;
    let hasBegun = false;
    let isLeft = false;
    let timer = setTimeout(giveUp, timeout);
    socket.on('data', (chunk: Buffer) => {
      if (size + chunk.length > buffer.length)
        buffer = Buffer.concat([buffer.subarray(0, size)], 2 * (size + chunk.length));
      size += chunk.copy(buffer, size);
      if (size > MAX_REPLY_BYTES && !framing) fail(`the response is larger than ${String(MAX_REPLY_BYTES)} bytes`);
      if (framing) countItems(chunk, framing);
      else if (framing === undefined) findFraming();
    });
    // A server that refuses early may reset the connection; what was received before counts.
    socket.on('error', (error) => {
      if (size === 0 && !isReset(error)) fail(describeError(error));
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ bytes: Buffer.from(buffer.subarray(0, size)), isLeft });
    });
    if (isCut) socket.end(bytes);
    else socket.write(bytes);

    function findFraming(): void {
      try {
        const head = reader.readHead(buffer.subarray(0, size));
        framing = head && (framingOf(valuesOf(head, 'content-type')[0] ?? '') ?? null);
      } catch {
        // What follows a malformed head has no known end.
        [framing, isLeft] = [null, true];
        socket.destroy();
      }
      if (!framing) return;
      leaveAfter(Math.max(FIRST_ITEM_MS, readOn));
      countItems(buffer.subarray(reader.bodyStart, size), framing);
    }

    // Line feeds of the chunked coding count, too: all that matters is that there is an end.
    function countItems(chunk: Buffer, ofFraming: Framing): void {
      if (!hasBegun && chunk.length > 0) leaveAfter(readOn);
      hasBegun ||= chunk.length > 0;
      const mark = markOf(ofFraming);
      for (let at = -1; (at = chunk.indexOf(mark, at + 1)) !== -1;) items++;
      if (items > MAX_ITEMS || size > MAX_REPLY_BYTES) leaveAfter(0);
    }

    function leaveAfter(milliseconds: number): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        isLeft = true;
        socket.destroy();
      }, milliseconds);
    }

    function giveUp(): void {
      fail(`the response was not complete within ${String(timeout)} ms: ${String(size)} bytes arrived`);
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
