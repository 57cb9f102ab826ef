// Writes replies and refusals.
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { beginReply, LINGER_MS, type HeaderList } from './begin-reply';
import type { ReadyRefusal } from './render-safely';
import { writeStream } from './write-stream';

/** Headers of one reply, beside those that the kit adds to all. */
export type Headers = Readonly<Record<string, string>>;

export interface EncodedReply {
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined where there is no body. */
  readonly type: string | undefined;
  /** How many bytes a stream has, if that is known. */
  readonly length: number | undefined;
  readonly body: string | Buffer | Readable;
}

/** Writes a reply that was checked against the contract. Fulfilled when a stream is over; undefined for any other body. */
export function writeReply(
  res: ServerResponse,
  status: number,
  { headers, type, body, length }: EncodedReply,
): Promise<void> | undefined {
  if (body instanceof Readable) return writeStream(res, status, headers, { type: String(type), length, stream: body });
  setImmediate(write, res, status, body, [...headers, ...bodyHeaders(body, status, type)]);
  return undefined;
}

/** Writes a refusal. `headers` are those beside Content-Type and Content-Length, such as WWW-Authenticate. */
export function writeRefusal(res: ServerResponse, { status, type, bytes }: ReadyRefusal, headers: Headers): void {
  setImmediate(write, res, status, bytes, [...Object.entries(headers), ...bodyHeaders(bytes, status, type)]);
}

/** Writes a reply that is no operation's; no Content-Type or Content-Length is added to its headers. */
export function writeContent(res: ServerResponse, status: number, bytes: Buffer, headers: Headers): void {
  setImmediate(write, res, status, bytes, Object.entries(headers));
}

/** Writes the refusal of a request whose rest cannot be read; the connection ends after it. */
export function writeLastRefusal(res: ServerResponse, refusal: ReadyRefusal): void {
  res.shouldKeepAlive = false;
  writeRefusal(res, refusal, {});
}

/** Writes a refusal to the socket itself, for a message that node:http made no response of, and ends the connection. */
export function writeRawRefusal(socket: Socket, { status, type, bytes }: ReadyRefusal, id: string): void {
  const head = [
    `HTTP/1.1 ${String(status)} ${String(STATUS_CODES[status])}`,
    ...bodyHeaders(bytes, status, type).map((header) => header.join(': ')),
    `X-Request-Id: ${id}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
  ];
  // RFC 9112 section 9.6: discard what the client still sends, for a while, since closing at once may lose the reply.
  socket.end(`${head.join('\r\n')}\r\n\r\n${String(bytes)}`).resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}

// Called by setImmediate: replies that leave together are cheaper, and by then all that came with the request is read. So the
// last reply to a client that pipelines too many can say that it is the last one.
function write(res: ServerResponse, status: number, body: string | Buffer, headers: HeaderList): void {
  beginReply(res, status, headers)?.(body);
}

function bodyHeaders(body: string | Buffer, status: number, type: string | undefined): HeaderList {
  // RFC 9110 section 8.6: a 204 has no Content-Length, and that of a 304 is the length of another reply.
  if (status === 204 || status === 304) return [];
  const length = ['Content-Length', String(Buffer.byteLength(body))] as const;
  return type === undefined ? [length] : [['Content-Type', type], length];
}
