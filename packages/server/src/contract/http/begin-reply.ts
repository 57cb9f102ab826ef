// Writes the head of a reply, and closes connections that cannot be used again.
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody } from './message-classes';
import { connectionOf } from './connection';
import { requestIdOf } from './request-id';

export type HeaderList = readonly (readonly [name: string, value: string])[];

export type EndReply = (rest?: string | Buffer) => void;

/** How long the kit still reads from a connection that it is about to close. */
export const LINGER_MS = 1_000;

// The largest rest of a request body that is read to keep its connection.
const DISCARDABLE_BYTES = 65_536;

const BODY_HEADERS = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Content-Range',
  'Transfer-Encoding',
  'Trailer',
];
// Middleware and reply may each add values to these.
const LIST_HEADERS = ['vary', 'set-cookie'];

/** Writes the head of a reply. Returns the function that ends it with the rest of its body; undefined if no reply can be sent. */
export function beginReply(res: ServerResponse, status: number, headers: HeaderList): EndReply | undefined {
  if (res.headersSent || res.req.socket.destroyed) return undefined;
  // Reading the rest of a large request costs more than a new connection: close this one instead.
  const canReuseConnection = isRestSmall(res.req);
  if (!canReuseConnection) res.shouldKeepAlive = false;
  if (res.getHeaderNames().length > 0) headers = mergeMiddlewareHeaders(res, headers);
  const raw = ['X-Request-Id', requestIdOf(res.req)];
  for (const [name, value] of headers) raw.push(name, value);
  res.writeHead(status, raw);
  if (!canReuseConnection) {
    // Discard what the client still sends.
    res.req.resume();
    return (rest) => {
      endLater(res, rest, res.req, 'close');
    };
  }
  return (rest) => {
    // isCut: the client sent more requests than may be under way, and may be sending more.
    if (!res.shouldKeepAlive && connectionOf(res.req.socket).isCut) endLater(res, rest, res.req.socket, 'end');
    else res.end(rest);
  };
}

// Of what middleware set, removes headers about the body, and keeps Vary and Set-Cookie; writeHead() keeps the others.
function mergeMiddlewareHeaders(res: ServerResponse, headers: HeaderList): HeaderList {
  for (const name of BODY_HEADERS) res.removeHeader(name);
  const own = new Set(headers.map(([name]) => name.toLowerCase()));
  const kept = LIST_HEADERS.filter((name) => own.has(name)).flatMap((name) =>
    [res.getHeader(name) ?? []].flat().map((value): HeaderList[number] => [name, String(value)]),
  );
  return [...kept, ...headers];
}

// RFC 9112 section 9.6: a connection that is closed while the client still sends may lose the reply. So end it when `sender`
// emits `whenSent`, or a second later.
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

// node:http discards a small rest. That of a chunked body may be endless, and a client that sent Expect may never send it.
function isRestSmall(req: IncomingMessage): boolean {
  const { 'content-length': length, expect } = req.headers;
  return req.complete || !announcesBody(req) || (Number(length) <= DISCARDABLE_BYTES && expect === undefined);
}
