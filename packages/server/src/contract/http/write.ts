import type { EventEmitter } from 'node:events';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { announcesBody } from './announces-body';
import { connectionOf } from './connection';
import type { RenderedRefusal } from '../refusal/render';
import { toBytes } from './refusal-bytes';
import { requestIdOf } from './request-id';

/** Headers beside those that every reply has. */
export type Headers = Readonly<Record<string, string>>;

/** A reply as it is sent. */
export interface EncodedReply {
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined where there is no body. */
  readonly type: string | undefined;
  readonly body: string | Buffer;
}

type HeaderList = readonly (readonly [name: string, value: string])[];

const DISCARDABLE_BYTES = 65_536;

const OF_THE_BODY = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Content-Range',
  'Transfer-Encoding',
  'Trailer',
];
const LISTS = ['vary', 'set-cookie'];

// How long a connection that is about to be closed still takes what the client is sending.
const LINGER_MS = 1_000;

/** Writes the reply of an operation: one that the contract was asked about. */
export function writeReply(res: ServerResponse, status: number, { headers, type, body }: EncodedReply): void {
  setImmediate(write, res, status, body, [...headers, ...bodyHeaders(body, status, type)]);
}

/** Writes why a request is not served. */
export function writeRefusal(res: ServerResponse, refusal: RenderedRefusal, headers: Headers): void {
  const { status, type } = refusal;
  const bytes = toBytes(refusal);
  setImmediate(write, res, status, bytes, [...Object.entries(headers), ...bodyHeaders(bytes, status, type)]);
}

/** Writes what no operation replies with. Its headers are all that there are. */
export function writeContent(res: ServerResponse, status: number, bytes: Buffer, headers: Headers): void {
  setImmediate(write, res, status, bytes, Object.entries(headers));
}

/** Writes why a request is not served of which no more can be read, and ends the connection. */
export function writeLastRefusal(res: ServerResponse, refusal: RenderedRefusal): void {
  res.shouldKeepAlive = false;
  writeRefusal(res, refusal, {});
}

/** Writes why a message is not served that is not well-formed enough to have a response, and ends the connection. */
export function writeRawRefusal(socket: Socket, refusal: RenderedRefusal, id: string): void {
  const { status, type } = refusal;
  const body = toBytes(refusal);
  const head = [
    `HTTP/1.1 ${String(status)} ${String(STATUS_CODES[status])}`,
    ...bodyHeaders(body, status, type).map((header) => header.join(': ')),
    `X-Request-Id: ${id}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${String(body)}`).resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}

// Called at the end of a turn of the event loop. Replies that leave together wake their readers up together, which is
// cheaper under load; and whatever came with the request is read by then.
function write(res: ServerResponse, status: number, body: string | Buffer, headers: HeaderList): void {
  // Answered already, or the client went away.
  if (res.headersSent || res.req.socket.destroyed) return;
  const isWorthReading = canGoOn(res.req);
  if (!isWorthReading) res.shouldKeepAlive = false;
  if (res.getHeaderNames().length > 0) headers = mergeEarlier(res, headers);
  res.writeHead(status, [...headers, ['X-Request-Id', requestIdOf(res.req)]].flat());
  if (!isWorthReading) {
    res.write(body);
    endLater(res, res.req.resume(), 'close');
  } else if (!res.shouldKeepAlive && connectionOf(res.req.socket).isCut) {
    res.write(body);
    endLater(res, res.req.socket, 'end');
  } else res.end(body);
}

// Headers that middleware set go out, too, unless the reply has them itself. What says how to read the body is never
// theirs, and lists are continued.
function mergeEarlier(res: ServerResponse, headers: HeaderList): HeaderList {
  for (const name of OF_THE_BODY) res.removeHeader(name);
  const own = new Set(headers.map(([name]) => name.toLowerCase()));
  const continued = LISTS.filter((name) => own.has(name)).flatMap((name) =>
    [res.getHeader(name) ?? []].flat().map((value): HeaderList[number] => [name, String(value)]),
  );
  return [...continued, ...headers];
}

// RFC 9112 section 9.6: closing at once, while the client sends, could take the reply from it.
function endLater(res: ServerResponse, sender: EventEmitter, whenSent: 'close' | 'end'): void {
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  sender.once(whenSent, end);
}

// Whether what is left of the request is worth reading for the sake of the connection; node:http then discards it.
function canGoOn(req: IncomingMessage): boolean {
  const { 'content-length': length, expect } = req.headers;
  return req.complete || !announcesBody(req) || (Number(length) <= DISCARDABLE_BYTES && expect === undefined);
}

function bodyHeaders(body: string | Buffer, status: number, type: string | undefined): HeaderList {
  // RFC 9110 section 8.6: a 204 has none, and a 304 that of another reply.
  if (status === 204 || status === 304) return [];
  const length = ['Content-Length', String(Buffer.byteLength(body))] as const;
  return type === undefined ? [length] : [['Content-Type', type], length];
}
