import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The maximum number of requests in flight on one connection. */
export const MAX_IN_FLIGHT = 64;

class Connection {
  /** The response to the latest request. */
  latest: ServerResponse | undefined;
  inFlight = 0;
  /** Whether the client exceeded the maximum number of requests in flight. After that, nothing is read from it. */
  hasOverflowed = false;
  isNextReplyLast = false;
  /** Functions that end event streams when the server shuts down. */
  readonly streamEnders = new Set<() => void>();
  /** The number of the connection's last finished reply, counted over all connections; 0 before the first. */
  lastReplyNumber = 0;
  /** The number of bytes that had been received when the last reply ended. */
  bytesRead = 0;
  /** The number of bytes sent at the last check for stalled clients; undefined if the client was not waiting. */
  sentAtCheck: number | undefined;
  /** The time of the check at which `sentAtCheck` last changed. */
  unchangedSince = 0;
}

// Marks a response that beginRequest has counted. A listener cannot be the mark, because instrumentation wraps listeners.
const BEGUN = Symbol('begun');

const connections = new WeakMap<Socket, Connection>();
let endedReplies = 0;

export function connectionOf(socket: Socket): Connection {
  const existing = connections.get(socket);
  if (existing) return existing;
  const connection = new Connection();
  connections.set(socket, connection);
  return connection;
}

/**
 * Decides whether to serve a request, and counts it as in flight until its reply ends. If it returns false, do not reply.
 * node:http stops reading while finished replies to a pipelining client wait to be sent. This function limits the replies that
 * are still being created. Further calls for the same request return true.
 */
export function beginRequest(
  res: ServerResponse & { [BEGUN]?: true },
  reportOverflow: () => void = () => undefined,
): boolean {
  if (res[BEGUN]) return true;
  const { socket } = res.req;
  const connection = connectionOf(socket);
  const { latest } = connection;
  // If a reply closes its connection, later requests must not be processed (RFC 9112 section 9.6).
  if (latest?.shouldKeepAlive === false) return false;
  if (latest && connection.inFlight === MAX_IN_FLIGHT) {
    connection.hasOverflowed = true;
    latest.shouldKeepAlive = false;
    stopReading(socket);
    // The latest reply might already have a head with keep-alive, so the socket is closed explicitly.
    afterLatestReply(socket, () => {
      socket.destroySoon();
    });
    reportOverflow();
    return false;
  }
  if (connection.isNextReplyLast || endsConnection(res.req)) res.shouldKeepAlive = false;
  res[BEGUN] = true;
  connection.latest = res;
  connection.inFlight++;
  res.on('close', endRequest);
  return true;
}

function endRequest(this: ServerResponse): void {
  const connection = connectionOf(this.req.socket);
  connection.inFlight--;
  connection.lastReplyNumber = ++endedReplies;
  // Later bytes belong to another request.
  connection.bytesRead = this.req.socket.bytesRead;
}

// After a request with an Upgrade header, Node's parser drops the rest of the chunk. The framing of an HTTP/1.0 request with
// Transfer-Encoding cannot be trusted (RFC 9112 section 6.1).
function endsConnection({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.upgrade !== undefined || (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined);
}

/** Calls `act` once the reply to the connection's latest request has been sent, or immediately if there is no request. */
export function afterLatestReply(socket: Socket, act: () => void): void {
  const { latest } = connectionOf(socket);
  if (latest === undefined || latest.writableFinished) act();
  // AsyncResource runs `act` in the caller's context instead of the request's.
  else latest.once('finish', AsyncResource.bind(act));
}

// Ignores all further requests of a connection. The rest of the parser's chunk, up to 64 kB, can still have 2,600 requests, so
// the function that creates a response for each is replaced. The new listener discards later chunks.
function stopReading(socket: Socket): void {
  const { parser } = socket as Socket & { parser: { onIncoming: () => number } };
  parser.onIncoming = () => 0;
  socket.removeAllListeners('data').on('data', () => undefined);
}

/** The time after which a client that reads nothing from its reply is disconnected. */
export const STALL_TIMEOUT_MS = 30_000;

/** The time after which a client that ended its sending half is disconnected if it gets no bytes. It might have left. */
export const HALF_CLOSED_TIMEOUT_MS = 5_000;

const STALL_CHECK_INTERVAL_MS = 1_000;

const openSockets = new WeakMap<Server, Set<Socket>>();

/** Makes room for new connections to a server, and closes stalled ones. Call it before the server listens. */
export function trackConnections(server: Server): void {
  const sockets = new Set<Socket>();
  let timer: NodeJS.Timeout | undefined;
  openSockets.set(server, sockets);
  server.prependListener('connection', (socket: Socket) => {
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

/** Returns the open connections of a tracked server, oldest first. */
export function socketsOf(server: Server): ReadonlySet<Socket> {
  return openSockets.get(server) as ReadonlySet<Socket>;
}

// At maxConnections, node:net drops new connections, so this closes an idle one. It prefers the oldest connection that never
// completed a request, and then the one that has been idle longest. Connections with requests in flight are not closed.
function closeIdleConnection(server: Server, sockets: Set<Socket>): void {
  let idle: Socket | undefined;
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
  // node:net emits this event for connections that it drops. The metrics count it.
  server.emit('drop');
}

/**
 * Closes connections whose client has read nothing for `limit` ms. If a client has ended its sending half, only a write would
 * show that it left, so its connection is closed if nothing was sent for HALF_CLOSED_TIMEOUT_MS. Returns the number of closed
 * connections.
 */
export function closeStalled(sockets: Iterable<Socket>, limit: number, now: number): number {
  let closedCount = 0;
  for (const socket of sockets) {
    const connection = connectionOf(socket);
    const isUnread = socket.writableLength > 0;
    const isWaiting = (isUnread || socket.readableEnded) && !socket.destroyed;
    const sent = isWaiting ? countSentBytes(socket) : undefined;
    if (sent === undefined || sent !== connection.sentAtCheck) {
      connection.sentAtCheck = sent;
      connection.unchangedSince = now;
    } else if (now - connection.unchangedSince >= (isUnread ? limit : HALF_CLOSED_TIMEOUT_MS)) {
      socket.resetAndDestroy();
      closedCount++;
    }
  }
  return closedCount;
}

// Counts the bytes that the kernel has accepted. Only the handle knows how much of a large write is left.
function countSentBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle: { writeQueueSize: number } };
  return socket.bytesWritten - socket.writableLength - handle.writeQueueSize;
}
