// Limits the requests of one connection that are under way.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may be under way. */
export const MAX_UNDER_WAY = 64;

export interface Connection {
  /** The response to the newest request that was begun. */
  latest: ServerResponse | undefined;
  /** Requests that were begun and whose replies are not over. */
  underWay: number;
  /** Whether the client sent more requests than may be under way: nothing more is read from it. */
  isCut: boolean;
  /** Whether the next reply is the last one. */
  isEnding: boolean;
  /** Called when the server shuts down: each ends a stream of events, which has no end of its own. */
  readonly endings: Set<() => void>;
  /** The number of the last reply that ended here, counted over all connections; 0 if none did. */
  lastEnd: number;
  /** How many bytes had been received by then. */
  bytesRead: number;
  /** How many bytes were sent at the last check for stalled clients; undefined if none were waiting then. */
  sent: number | undefined;
  /** Since which check `sent` has been the same. */
  sentAt: number;
}

const connections = new WeakMap<Socket, Connection>();
let endedReplies = 0;

export function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket);
  if (known) return known;
  const connection: Connection = {
    latest: undefined,
    underWay: 0,
    isCut: false,
    isEnding: false,
    endings: new Set(),
    lastEnd: 0,
    bytesRead: 0,
    sent: undefined,
    sentAt: 0,
  };
  connections.set(socket, connection);
  return connection;
}

/**
 * Decides whether to serve a request, and counts it as under way until its reply is over. On false write nothing: no reply to it
 * is ever sent. From a client that pipelines, node:http stops reading while replies wait to be sent, but not while they are
 * still being made: this function limits those. A second call for the same request only returns true.
 */
export function beginRequest(res: ServerResponse, reportCut: () => void = () => undefined): boolean {
  const { socket } = res.req;
  const connection = connectionOf(socket);
  const { latest } = connection;
  // A request that was begun earlier need not be the latest: others may have begun during its middleware.
  if (latest === res || res.listenerCount('close', endRequest) > 0) return true;
  // RFC 9112 section 9.6: do not process requests after the one whose reply ends the connection.
  if (latest?.shouldKeepAlive === false) return false;
  if (latest && connection.underWay === MAX_UNDER_WAY) {
    connection.isCut = true;
    latest.shouldKeepAlive = false;
    stopReading(socket);
    // The head of that reply may be written already, with keep-alive: close the socket anyway.
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

/** Counts a request as over; `this` is its response, which was closed. */
function endRequest(this: ServerResponse): void {
  const connection = connectionOf(this.req.socket);
  connection.underWay--;
  connection.lastEnd = ++endedReplies;
  // Further bytes are the beginning of another request.
  connection.bytesRead = this.req.socket.bytesRead;
}

// Whether a request is the last one of its connection. Node's parser drops what follows an Upgrade header in the same chunk;
// RFC 9112 section 6.1: do not trust the framing of HTTP/1.0 with Transfer-Encoding.
function endsConnection({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.upgrade !== undefined || (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined);
}

/** Calls `act` once the reply to the newest request of a connection is sent: at once if it was, or there is no request. */
export function afterLatest(socket: Socket, act: () => void): void {
  const { latest } = connectionOf(socket);
  if (latest === undefined || latest.writableFinished) act();
  else latest.once('finish', act);
}

// Ignores all further requests of a connection. Node's parser still reads the rest of its chunk, up to 2,600 requests in
// 64 kB: replace the function that would create a response for each. The new listener keeps later chunks from the parser.
function stopReading(socket: Socket): void {
  const { parser } = socket as Socket & { parser: { onIncoming: () => number } };
  parser.onIncoming = () => 0;
  socket.removeAllListeners('data').on('data', () => undefined);
}
