// Limits the connections of a server, and closes those whose clients do not read or have left.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { connectionOf } from './connection';

/** How long a client may read nothing of its reply. */
export const STALL_MS = 30_000;

/** How long a client that ended its sending half may be sent nothing: it waits for a reply, or has left. */
export const LEFT_MS = 5_000;

const CHECK_MS = 1_000;

const openSockets = new WeakMap<Server, Set<Socket>>();

/** Tracks the connections of a server: makes room for new ones, and closes stalled ones. Call it before the server listens. */
export function trackConnections(server: Server): void {
  const sockets = new Set<Socket>();
  let timer: NodeJS.Timeout | undefined;
  openSockets.set(server, sockets);
  server.prependListener('connection', (socket: Socket) => {
    // The new connection is not among the sockets yet.
    if (sockets.size + 1 >= server.maxConnections) makeRoom(server, sockets);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('listening', () => {
    timer = setInterval(() => closeStalled(sockets, STALL_MS, performance.now()), CHECK_MS).unref();
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
// never completed a request, else the one that is idle longest. None is closed if all have requests under way.
function makeRoom(server: Server, sockets: Set<Socket>): void {
  let idle: Socket | undefined;
  // Replies are numbered as they end: the smallest number ended first.
  let lastEnd = Infinity;
  for (const socket of sockets) {
    const connection = connectionOf(socket);
    if (connection.underWay > 0 || connection.lastEnd >= lastEnd) continue;
    idle = socket;
    ({ lastEnd } = connection);
    if (lastEnd === 0) break;
  }
  if (!idle) return;
  sockets.delete(idle);
  idle.destroy();
  // The event of node:net for a connection that is dropped for want of room: metrics count it.
  server.emit('drop');
}

/**
 * Closes connections whose client read nothing for `limit` ms, and those whose client ended its sending half and was sent nothing
 * for LEFT_MS: only a write would tell that it left. `now` is in ms, of any clock. Returns how many it closed.
 */
export function closeStalled(sockets: Iterable<Socket>, limit: number, now: number): number {
  let closed = 0;
  for (const socket of sockets) {
    const connection = connectionOf(socket);
    const isUnread = socket.writableLength > 0;
    const isWaiting = (isUnread || socket.readableEnded) && !socket.destroyed;
    const sent = isWaiting ? countSent(socket) : undefined;
    // Nothing waits, or some was sent since the last check.
    if (sent === undefined || sent !== connection.sent) {
      connection.sent = sent;
      connection.sentAt = now;
    } else if (now - connection.sentAt >= (isUnread ? limit : LEFT_MS)) {
      // A reset frees the buffers of the operating system, too.
      socket.resetAndDestroy();
      closed++;
    }
  }
  return closed;
}

// A number that changes whenever bytes leave. Of a large reply, which is one write, only the handle knows how much is left.
function countSent(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle: { writeQueueSize: number } };
  return socket.bytesWritten - socket.writableLength - handle.writeQueueSize;
}
