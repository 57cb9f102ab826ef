// The connections of a server, and the requests of each that are in flight.
import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse, Server } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may be in flight. */
export const MAX_IN_FLIGHT = 64;

/** What is known of a connection. */
class Connection {
  /** The response to the newest request that was begun. */
  latest: ServerResponse | undefined;
  /** Requests that were begun and whose replies are not over. */
  inFlight = 0;
  /** Whether the client sent more requests than may be in flight: nothing more is read from it. */
  hasOverflowed = false;
  /** Whether the next reply is the last one. */
  isEnding = false;
  /** Called when the server shuts down: each ends a stream of events, which has no end of its own. */
  readonly streamEnders = new Set<() => void>();
  /** The number of the connection's last finished reply, counted over all connections; 0 before the first. */
  lastReplyNumber = 0;
  /** How many bytes had been received when that reply ended. */
  bytesRead = 0;
  /** How many bytes were sent at the last check for stalled clients; undefined if none were waiting then. */
  sentAtCheck: number | undefined;
  /** Since which check `sentAtCheck` has been the same. */
  unchangedSince = 0;
}

// Not a listener of the response: instrumentation wraps those.
const BEGUN = Symbol('begun');

const connections = new WeakMap<Socket, Connection>();
let endedReplies = 0;

export function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket);
  if (known) return known;
  const connection = new Connection();
  connections.set(socket, connection);
  return connection;
}

/**
 * Decides whether to serve a request, and counts it as in flight until its reply is over. On false write nothing: no reply to it
 * is ever sent. From a client that pipelines, node:http stops reading while replies wait to be sent, but not while they are
 * still being made: this function limits those. A second call for the same request only returns true.
 */
export function beginRequest(
  res: ServerResponse & { [BEGUN]?: true },
  reportOverflow: () => void = () => undefined,
): boolean {
  if (res[BEGUN]) return true;
  const { socket } = res.req;
  const connection = connectionOf(socket);
  const { latest } = connection;
  // RFC 9112 section 9.6: do not process requests after the one whose reply ends the connection.
  if (latest?.shouldKeepAlive === false) return false;
  if (latest && connection.inFlight === MAX_IN_FLIGHT) {
    connection.hasOverflowed = true;
    latest.shouldKeepAlive = false;
    stopReading(socket);
    // The head of that reply may be written already, with keep-alive: close the socket anyway.
    afterLatestReply(socket, () => {
      socket.destroySoon();
    });
    reportOverflow();
    return false;
  }
  if (connection.isEnding || endsConnection(res.req)) res.shouldKeepAlive = false;
  res[BEGUN] = true;
  connection.latest = res;
  connection.inFlight++;
  res.on('close', endRequest);
  return true;
}

/** Counts a request as over; `this` is its response, which was closed. */
function endRequest(this: ServerResponse): void {
  const connection = connectionOf(this.req.socket);
  connection.inFlight--;
  connection.lastReplyNumber = ++endedReplies;
  // Further bytes are the beginning of another request.
  connection.bytesRead = this.req.socket.bytesRead;
}

// Whether a request is the last one of its connection. Node's parser drops what follows an Upgrade header in the same chunk;
// RFC 9112 section 6.1: do not trust the framing of HTTP/1.0 with Transfer-Encoding.
function endsConnection({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.upgrade !== undefined || (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined);
}

/** Calls `act` once the reply to the newest request of a connection is sent: at once if it was, or there is no request. */
export function afterLatestReply(socket: Socket, act: () => void): void {
  const { latest } = connectionOf(socket);
  if (latest === undefined || latest.writableFinished) act();
  // In the context of the caller, not of that request.
  else latest.once('finish', AsyncResource.bind(act));
}

// Ignores all further requests of a connection. Node's parser still reads the rest of its chunk, up to 2,600 requests in
// 64 kB: replace the function that would create a response for each. The new listener keeps later chunks from the parser.
function stopReading(socket: Socket): void {
  const { parser } = socket as Socket & { parser: { onIncoming: () => number } };
  parser.onIncoming = () => 0;
  socket.removeAllListeners('data').on('data', () => undefined);
}

/** How long a client may read nothing of its reply. */
export const STALL_TIMEOUT_MS = 30_000;

/** How long a client that ended its sending half may be sent nothing: it waits for a reply, or has left. */
export const HALF_CLOSED_TIMEOUT_MS = 5_000;

const STALL_CHECK_INTERVAL_MS = 1_000;

const openSockets = new WeakMap<Server, Set<Socket>>();

/** Tracks the connections of a server: makes room for new ones, and closes stalled ones. Call it before the server listens. */
export function trackConnections(server: Server): void {
  const sockets = new Set<Socket>();
  let timer: NodeJS.Timeout | undefined;
  openSockets.set(server, sockets);
  server.prependListener('connection', (socket: Socket) => {
    // The new connection is not among the sockets yet.
    if (sockets.size + 1 >= server.maxConnections) closeIdleConnection(server, sockets);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('listening', () => {
    timer = setInterval(
      () => closeStalled(sockets, STALL_TIMEOUT_MS, performance.now()),
      STALL_CHECK_INTERVAL_MS,
    ).unref();
  });
  server.on('close', () => {
    clearInterval(timer);
  });
}

/** The open connections of a tracked server, oldest first. */
export function socketsOf(server: Server): ReadonlySet<Socket> {
  return openSockets.get(server) as ReadonlySet<Socket>;
}

// At maxConnections node:net drops new connections. So room for one is kept by closing an idle connection: the oldest that
// never completed a request, else the one that is idle longest. None is closed if all have requests in flight.
function closeIdleConnection(server: Server, sockets: Set<Socket>): void {
  let idle: Socket | undefined;
  // Replies are numbered as they end: the smallest number ended first.
  let lastReplyNumber = Infinity;
  for (const socket of sockets) {
    const connection = connectionOf(socket);
    if (connection.inFlight > 0 || connection.lastReplyNumber >= lastReplyNumber) continue;
    idle = socket;
    ({ lastReplyNumber } = connection);
    if (lastReplyNumber === 0) break;
  }
  if (!idle) return;
  sockets.delete(idle);
  idle.destroy();
  // The event of node:net for a connection that is dropped for want of room: metrics count it.
  server.emit('drop');
}

/**
 * Closes connections whose client read nothing for `limit` ms, and those whose client ended its sending half and was sent nothing
 * for HALF_CLOSED_TIMEOUT_MS: only a write shows that it left. `now` is in ms. Returns how many it closed.
 */
export function closeStalled(sockets: Iterable<Socket>, limit: number, now: number): number {
  let closedCount = 0;
  for (const socket of sockets) {
    const connection = connectionOf(socket);
    const isUnread = socket.writableLength > 0;
    const isWaiting = (isUnread || socket.readableEnded) && !socket.destroyed;
    const sent = isWaiting ? countSentBytes(socket) : undefined;
    // Nothing waits to be sent, or bytes were sent since the last check.
    if (sent === undefined || sent !== connection.sentAtCheck) {
      connection.sentAtCheck = sent;
      connection.unchangedSince = now;
    } else if (now - connection.unchangedSince >= (isUnread ? limit : HALF_CLOSED_TIMEOUT_MS)) {
      // A reset frees the buffers of the operating system, too.
      socket.resetAndDestroy();
      closedCount++;
    }
  }
  return closedCount;
}

// Counts the bytes that the kernel took. Only the handle knows how much of a large reply, which is one write, is left.
function countSentBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle: { writeQueueSize: number } };
  return socket.bytesWritten - socket.writableLength - handle.writeQueueSize;
}
