// Writes the head of a reply, and closes connections that cannot be used again.
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody } from './announces-body';
import { connectionOf } from './connection';
import { requestIdOf } from './request-id';

export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Ends a reply, with what is left of its body. */
export type EndReply = (rest?: string | Buffer) => void;

// How long a connection that is about to be closed still takes what the client is sending.
export const LINGER_MS = 1_000;
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

/** Writes the head of a reply; undefined where there was another reply, or the client went away. */
export function beginReply(res: ServerResponse, status: number, headers: HeaderList): EndReply | undefined {
  if (res.headersSent || res.req.socket.destroyed) return undefined;
  const isWorthReading = canGoOn(res.req);
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

// Whether what is left of the request is worth reading for the sake of the connection; node:http then discards it.
function canGoOn(req: IncomingMessage): boolean {
  const { 'content-length': length, expect } = req.headers;
  return req.complete || !announcesBody(req) || (Number(length) <= DISCARDABLE_BYTES && expect === undefined);
}
