import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { connectionOf, closeStalled, socketsOf } from './connections';
import { cutReply } from './write';

const CHECK_MS = 25;

/** The time for which idle connections are kept, so that a client that is sending a request gets a last reply. */
export const IDLE_MS = 400;

const DRAIN_STALL_MS = 1_000;

/**
 * Creates a function that shuts a server down gracefully: it accepts no new connections, sends the last replies with
 * `Connection: close`, and closes the remaining connections after a timeout in milliseconds. Its promise resolves to true if
 * every client got its replies.
 *
 * @example const drain = createDrain(server); process.once('SIGTERM', () => void drain(10_000));
 */
export function createDrain(server: Server): (timeout: number) => Promise<boolean> {
  return function drain(timeout) {
    const sockets = socketsOf(server);
    const start = performance.now();
    let isComplete = true;

    function closeAfterReplies(socket: Socket): void {
      const connection = connectionOf(socket);
      connection.isNextReplyLast = true;
      for (const endStream of connection.streamEnders) endStream();
      // If the latest reply has already ended, isNextReplyLast applies to the next one.
      if (connection.latest && connection.inFlight > 0) connection.latest.shouldKeepAlive = false;
    }
    function closeStalledAndIdleSockets(): void {
      const now = performance.now();
      if (closeStalled(sockets, DRAIN_STALL_MS, now) > 0) isComplete = false;
      if (now - start < IDLE_MS) return;
      // If the process was busy, a request might be waiting in a socket, so node:http reads first.
      setImmediate(() => {
        for (const socket of sockets) if (isIdle(socket)) socket.destroy();
      });
    }
    return new Promise((resolve) => {
      const deadline = setTimeout(() => {
        const unfinishedConnections = [...sockets].map(connectionOf).filter(({ inFlight }) => inFlight > 0);
        isComplete &&= unfinishedConnections.length === 0;
        for (const { latest } of unfinishedConnections) if (latest) cutReply(latest);
        server.closeAllConnections();
      }, timeout);
      const timer = setInterval(closeStalledAndIdleSockets, CHECK_MS);
      // Pending connections are accepted first. The server stops listening before any reply has `Connection: close`, because
      // the client then opens a new connection, which must reach another server.
      setImmediate(() => {
        // http.Server's close() would immediately close idle connections, although a request might be on its way.
        NetServer.prototype.close.call(server, () => {
          clearTimeout(deadline);
          clearInterval(timer);
          resolve(isComplete);
        });
        sockets.forEach(closeAfterReplies);
      });
    });
  };
}

// node:http's own definition differs: a connection with an unsent reply is idle, and one without any request is not.
function isIdle(socket: Socket): boolean {
  const { inFlight, bytesRead } = connectionOf(socket);
  return inFlight === 0 && socket.bytesRead === bytesRead;
}
