import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The maximum number of requests in flight on one connection. */
export const MAX_IN_FLIGHT = 64;

class Connection {
  /** The response to the newest request. */
  latest: ServerResponse | undefined;
  inFlight = 0;
  /** Whether the client exceeded the maximum number of requests in flight. Nothing more is read from it. */
  hasOverflowed = false;
  /** Whether the next reply is the last one. */
  isEnding = false;
  /** Called when the server shuts down. Each ends an event stream that would not end by itself. */
  readonly streamEnders = new Set<() => void>();
  /** The number of the connection's last finished reply, counted over all connections; 0 before the first. */
  lastReplyNumber = 0;
  /** How many bytes had been received when that reply ended. */
  bytesRead = 0;
  /** How many bytes had been sent at the last check for stalled clients; undefined if the client was not waiting then. */
  sentAtCheck: number | undefined;
  /** The time of the check since which `sentAtCheck` has not changed. */
  unchangedSince = 0;
}

// A property, because instrumentation wraps a response's listeners.
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
 * Decides whether to serve a request, and counts it as in flight until its reply is over. If the result is false, do not write a
 * reply. While replies to a pipelining client wait to be sent, node:http stops reading; this function limits those that are still
 * being created. A second call for the same request just returns true.
 */
export function beginRequest(
  res: ServerResponse & { [BEGUN]?: true },
  reportOverflow: () => void = () => undefined,
): boolean {
  if (res[BEGUN]) return true;
  const { socket } = res.req;
  const connection = connectionOf(socket);
  const { latest } = connection;
  // RFC 9112 section 9.6: do not process any requests after one whose reply closes the connection.
  if (latest?.shouldKeepAlive === false) return false;
  if (latest && connection.inFlight === MAX_IN_FLIGHT) {
    connection.hasOverflowed = true;
    latest.shouldKeepAlive = false;
    stopReading(socket);
    // The head of that reply may already be written with keep-alive, so close the socket anyway.
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

function endRequest(this: ServerResponse): void {
  const connection = connectionOf(this.req.socket);
  connection.inFlight--;
  connection.lastReplyNumber = ++endedReplies;
  // Any further bytes are the start of another request.
  connection.bytesRead = this.req.socket.bytesRead;
}

// Node's parser drops the rest of a chunk after a request with an Upgrade header. RFC 9112 section 6.1: do not trust the framing of
// HTTP/1.0 with Transfer-Encoding.
function endsConnection({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.upgrade !== undefined || (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined);
}

/** Calls `act` once the reply to a connection's newest request has been sent, or immediately if there is no request. */
export function afterLatestReply(socket: Socket, act: () => void): void {
  const { latest } = connectionOf(socket);
  if (latest === undefined || latest.writableFinished) act();
  // AsyncResource keeps the caller's context instead of the request's.
  else latest.once('finish', AsyncResource.bind(act));
}

// Ignores all further requests of a connection. Node's parser still reads the rest of its chunk, up to 2,600 requests in
// 64 kB, so the function that would create a response for each is replaced. The new listener keeps later chunks from the parser.
function stopReading(socket: Socket): void {
  const { parser } = socket as Socket & { parser: { onIncoming: () => number } };
  parser.onIncoming = () => 0;
  socket.removeAllListeners('data').on('data', () => undefined);
}

/** How long a client may go without reading any of its reply. */
export const STALL_TIMEOUT_MS = 30_000;

/** How long to keep a client that ended its sending half and is sent no bytes: it is waiting for a reply, or has left. */
export const HALF_CLOSED_TIMEOUT_MS = 5_000;

const STALL_CHECK_INTERVAL_MS = 1_000;

const openSockets = new WeakMap<Server, Set<Socket>>();

/** Makes room for a server's new connections, and closes stalled ones. Call it before the server listens. */
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

// At maxConnections, node:net drops new connections, so an idle one is closed to make room: the oldest that never completed a
// request, or else the one that has been idle longest. If all connections have requests in flight, none is closed.
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
  // node:net emits this event for connections that it drops, and metrics count it.
  server.emit('drop');
}

/**
 * Closes connections whose client read nothing for `limit` ms, and those whose client ended its sending half and was sent nothing
 * for HALF_CLOSED_TIMEOUT_MS, since only a write would show that it left. Returns how many it closed.
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
      // A reset also frees the operating system's buffers.
      socket.resetAndDestroy();
      closedCount++;
    }
  }
  return closedCount;
}

// Counts the bytes that the kernel accepted. A large reply is one write, of which only the handle knows how much is left.
function countSentBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle: { writeQueueSize: number } };
  return socket.bytesWritten - socket.writableLength - handle.writeQueueSize;
}
