// Writes the head of a reply, and closes connections that cannot be used again.
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody } from './announces-body';
import { connectionOf } from './connection';
import { requestIdOf } from './request-id';

export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Ends a reply, with what is left of its body. */
export type EndReply = (rest?: string | Buffer) => void;

// How long the kit still reads from a connection that it is about to close.
export const LINGER_MS = 1_000;
const DISCARDABLE_BYTES = 65_536;

const BODY_HEADERS = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Content-Range',
  'Transfer-Encoding',
  'Trailer',
];
const LIST_HEADERS = ['vary', 'set-cookie'];

/** Writes the head of a reply, and returns the function that ends it; undefined if a head was sent, or the client is gone. */
export function beginReply(res: ServerResponse, status: number, headers: HeaderList): EndReply | undefined {
  if (res.headersSent || res.req.socket.destroyed) return undefined;
  const isWorthReading = isRestWorthReading(res.req);
  if (!isWorthReading) res.shouldKeepAlive = false;
  if (res.getHeaderNames().length > 0) headers = mergeEarlier(res, headers);
  const raw = ['X-Request-Id', requestIdOf(res.req)];
  for (const [name, value] of headers) raw.push(name, value);
  res.writeHead(status, raw);
  if (!isWorthReading) {
    res.req.resume();
    return (rest) => {
      endLater(res, rest, res.req, 'close');
    };
  }
  return (rest) => {
    if (!res.shouldKeepAlive && connectionOf(res.req.socket).isCut) endLater(res, rest, res.req.socket, 'end');
    else res.end(rest);
  };
}

// Keeps headers that middleware set, unless the reply has them itself: lists are joined, and headers about the body removed.
// writeHead() adds the rest.
function mergeEarlier(res: ServerResponse, headers: HeaderList): HeaderList {
  for (const name of BODY_HEADERS) res.removeHeader(name);
  const own = new Set(headers.map(([name]) => name.toLowerCase()));
  const continued = LIST_HEADERS.filter((name) => own.has(name)).flatMap((name) =>
    [res.getHeader(name) ?? []].flat().map((value): HeaderList[number] => [name, String(value)]),
  );
  return [...continued, ...headers];
}

// RFC 9112 section 9.6: a connection that is closed while the client still sends may lose the reply.
function endLater(
  res: ServerResponse,
  rest: string | Buffer | undefined,
  sender: EventEmitter,
  whenSent: 'close' | 'end',
): void {
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  if (rest !== undefined) res.write(rest);
  const timer = setTimeout(end, LINGER_MS);
  sender.once(whenSent, end);
}

// Whether little enough of the request is left to read, so that the connection can be used again; node:http discards it.
function isRestWorthReading(req: IncomingMessage): boolean {
  const { 'content-length': length, expect } = req.headers;
  return req.complete || !announcesBody(req) || (Number(length) <= DISCARDABLE_BYTES && expect === undefined);
}
