// Limits the requests of one connection that are under way.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may be under way. */
export const MAX_UNDER_WAY = 64;

/** The state of a client's connection. */
export interface Connection {
  /** The response to the newest request that was begun. */
  latest: ServerResponse | undefined;
  /** Requests that were begun and whose replies are not over. */
  underWay: number;
  /** Whether the client sent more requests than may be under way: what it sends is not read any more. */
  isCut: boolean;
  /** Whether the next reply is the last one. */
  isEnding: boolean;
  /** Called when the server ends: they end replies that have no end of their own. */
  readonly endings: Set<() => void>;
  /** Grows from one end of a reply, on whatever connection, to the next; 0 where there was none. */
  lastEnd: number;
  /** What had come by then, in bytes. */
  bytesRead: number;
  /** Tells whether bytes leave while some are waiting to: its last value, and since when it has it. */
  sent: number | undefined;
  sentAt: number;
}

const connections = new WeakMap<Socket, Connection>();
let ends = 0;

export function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket);
  if (known) return known;
  const connection: Connection = {
    ...{ latest: undefined, underWay: 0, isCut: false, isEnding: false },
    endings: new Set(),
    ...{ lastEnd: 0, bytesRead: 0, sent: undefined, sentAt: 0 },
  };
  connections.set(socket, connection);
  return connection;
}

/**
 * Counts a request as under way until its reply is over; a second call for the same request does nothing.
 *
 * node:http stops reading from a client that pipelines when replies wait to be sent. Replies that are written later
 * take this bound away, so each handler that writes them asks here first.
 *
 * @param reportCut is told when the connection has too many requests under way and is closed after their replies
 * @returns whether to serve the request; the reply to one that is not served is never sent
 */
export function beginRequest(res: ServerResponse, reportCut: () => void = () => undefined): boolean {
  const { socket } = res.req;
  const connection = connectionOf(socket);
  const { latest } = connection;
  // Others may have begun while middleware took its time.
  if (latest === res || res.listenerCount('close', endRequest) > 0) return true;
  // RFC 9112 section 9.6: do not process requests after the one whose reply ends the connection.
  if (latest?.shouldKeepAlive === false) return false;
  if (latest && connection.underWay === MAX_UNDER_WAY) {
    connection.isCut = true;
    latest.shouldKeepAlive = false;
    stopReading(socket);
    // The head of that reply may be written already, and say otherwise.
    afterLatest(socket, () => {
      socket.destroySoon();
    });
    reportCut();
    return false;
  }
  if (connection.isEnding || endsConnection(res.req)) res.shouldKeepAlive = false;
  connection.latest = res;
  connection.underWay++;
  res.on('close', endRequest);
  return true;
}

function endRequest(this: ServerResponse): void {
  const connection = connectionOf(this.req.socket);
  connection.underWay--;
  connection.lastEnd = ++ends;
  connection.bytesRead = this.req.socket.bytesRead;
}

// The parser drops what follows an offer to upgrade in the same chunk. RFC 9112 section 6.1: the framing of HTTP/1.0 in
// chunks is not to be trusted.
function endsConnection({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.upgrade !== undefined || (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined);
}

/** Acts when the reply to the newest request of a connection was sent: at once when there is none. */
export function afterLatest(socket: Socket, act: () => void): void {
  const { latest } = connectionOf(socket);
  if (latest === undefined || latest.writableFinished) act();
  else latest.once('finish', act);
}

// The parser goes through all of the chunk that it was handed, some 2,600 requests in 64 kB, whatever becomes of the
// connection. It is left without what would make a response of each; the chunks after this one it does not see.
function stopReading(socket: Socket): void {
  const { parser } = socket as Socket & { parser: { onIncoming: () => number } };
  parser.onIncoming = () => 0;
  socket.removeAllListeners('data').on('data', () => undefined);
}
