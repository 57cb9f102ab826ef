// Sends bytes over a socket, and reads the reply.
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { ReplyReader, valuesOf } from './reply';
import { framingOf, delimiterByteOf, type Framing } from './sequence';

// The most bytes to read, since an endless reply must not fill the memory.
const MAX_REPLY_BYTES = 8 * 1024 ** 2;

// Waits this long for a stream's first bytes, then reads on for up to this many items and milliseconds.
const FIRST_ITEM_MS = 1_000;
const MAX_ITEMS = 1_000;
const MAX_READ_MS = 50;

interface SendOptions {
  /** In milliseconds, for the whole exchange. */
  readonly timeout: number;
  readonly isCut?: boolean;
  /** How long to read a stream of items after its first bytes, in milliseconds. */
  readonly readOn?: number | undefined;
}

/** What the server sent, and whether the suite closed the connection before the end of a stream. */
export interface Received {
  readonly bytes: Buffer;
  readonly isClosedEarly: boolean;
}

/**
 * Resolves when the server closes the connection, or when the suite does, since a stream may never end. Rejects if the
 * time is up, the reply is too large, or the connection fails before anything arrives.
 */
export function send(
  base: URL,
  bytes: Buffer,
  { timeout, isCut = false, readOn = MAX_READ_MS }: SendOptions,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(base);
    // The buffer doubles, so that single bytes from a slow server do not each cause a copy of everything.
    let buffer = Buffer.alloc(0);
    let size = 0;
    const reader = new ReplyReader('GET');
    // Null if the reply is not a stream, undefined until that is known.
    let framing: Framing | null | undefined;
    let items = 0;
    let hasBegun = false;
    let isClosedEarly = false;
    let timer = setTimeout(giveUp, timeout);
    socket.on('data', (chunk: Buffer) => {
      if (size + chunk.length > buffer.length)
        buffer = Buffer.concat([buffer.subarray(0, size)], 2 * (size + chunk.length));
      size += chunk.copy(buffer, size);
      if (size > MAX_REPLY_BYTES && !framing) fail(`the response is larger than ${String(MAX_REPLY_BYTES)} bytes`);
      if (framing) countItems(chunk, framing);
      else if (framing === undefined) findFraming();
    });
    // A server that refuses early may reset the connection, but the bytes that have arrived still count.
    socket.on('error', (error) => {
      if (size === 0 && !isReset(error)) fail(describeError(error));
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ bytes: Buffer.from(buffer.subarray(0, size)), isClosedEarly });
    });
    if (isCut) socket.end(bytes);
    else socket.write(bytes);

    function findFraming(): void {
      try {
        const head = reader.readHead(buffer.subarray(0, size));
        framing = head && (framingOf(valuesOf(head, 'content-type')[0] ?? '') ?? null);
      } catch {
        // The end of a reply with a malformed head is unknown.
        [framing, isClosedEarly] = [null, true];
        socket.destroy();
      }
      if (!framing) return;
      closeAfter(Math.max(FIRST_ITEM_MS, readOn));
      countItems(buffer.subarray(reader.bodyStart, size), framing);
    }

    // Counts items, and also line feeds of the chunked coding, since the limit need not be exact.
    function countItems(chunk: Buffer, streamFraming: Framing): void {
      if (!hasBegun && chunk.length > 0) closeAfter(readOn);
      hasBegun ||= chunk.length > 0;
      const delimiterByte = delimiterByteOf(streamFraming);
      for (let offset = -1; (offset = chunk.indexOf(delimiterByte, offset + 1)) !== -1;) items++;
      if (items > MAX_ITEMS || size > MAX_REPLY_BYTES) closeAfter(0);
    }

    function closeAfter(milliseconds: number): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        isClosedEarly = true;
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
    // An IP address is not sent as the server name (RFC 6066 section 3).
    const serverName = isIP(host) === 0 ? { servername: host } : {};
    return connectSecure({ host, ...serverName, port: Number(port || 443) });
  }
  return connectPlain({ host, port: Number(port || 80), noDelay: true });
}

// Whether the server closed the connection without reading everything.
function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

// An AggregateError contains one error for each address of the host name.
function describeError(error: Error): string {
  return error instanceof AggregateError ? error.errors.map((cause: Error) => cause.message).join(', ') : error.message;
}
