import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { connectionOf, closeStalled, socketsOf } from './connections';
import { cutReply } from './write';

const CHECK_MS = 25;

/** How long idle connections are kept, since a client may be about to send a request, whose reply then announces the end. */
export const IDLE_MS = 400;

const DRAIN_STALL_MS = 1_000;

/**
 * Creates the function that shuts a server down gracefully: it accepts no new connections, sends the last replies with
 * `Connection: close`, and closes the remaining connections after a timeout in milliseconds. Its promise resolves to whether every
 * client got its replies.
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
      connection.isEnding = true;
      for (const endStream of connection.streamEnders) endStream();
      // If the latest reply is over, isEnding makes the next one say `Connection: close`.
      if (connection.latest && connection.inFlight > 0) connection.latest.shouldKeepAlive = false;
    }
    function closeUnused(): void {
      const now = performance.now();
      if (closeStalled(sockets, DRAIN_STALL_MS, now) > 0) isComplete = false;
      if (now - start < IDLE_MS) return;
      // Let node:http read the sockets first, since a request may be waiting there if the process was busy.
      setImmediate(() => {
        for (const socket of sockets) if (isIdle(socket)) socket.destroy();
      });
    }
    return new Promise((resolve) => {
      const deadline = setTimeout(() => {
        const cut = [...sockets].map(connectionOf).filter(({ inFlight }) => inFlight > 0);
        isComplete &&= cut.length === 0;
        for (const { latest } of cut) if (latest) cutReply(latest);
        server.closeAllConnections();
      }, timeout);
      const timer = setInterval(closeUnused, CHECK_MS);
      // Accept the connections that already exist before announcing the end: after such a reply, a client opens a new
      // connection, which another server must get.
      setImmediate(() => {
        // http.Server's close() would close idle connections at once, though a request may be on its way.
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

// node:http considers a connection with an unsent reply idle, and one without any request not idle.
function isIdle(socket: Socket): boolean {
  const { inFlight, bytesRead } = connectionOf(socket);
  return inFlight === 0 && socket.bytesRead === bytesRead;
}
