// Ends a server without breaking requests.
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { connectionOf } from './connection';
import { closeStalled, socketsOf } from './connections';

const CHECK_MS = 25;

/** How long connections that are idle are kept: a client may be about to send, and is then told in the reply. */
export const IDLE_MS = 400;

/** How long the client of a reply may take nothing of it, once the server ends. */
export const DRAIN_STALL_MS = 1_000;

/**
 * A way to end a server without breaking a request: no new connections, replies that announce the end of theirs, and
 * after a time the rest is cut.
 *
 * @param server whose connections are tracked
 * @returns ends the server; fulfilled with whether every client got its replies. The time is in milliseconds.
 * @example const drain = createDrain(server); process.once('SIGTERM', () => void drain(10_000));
 */
export function createDrain(server: Server): (timeout: number) => Promise<boolean> {
  return function drain(timeout) {
    const sockets = socketsOf(server);
    const begin = performance.now();
    let isComplete = true;

    function end(socket: Socket): void {
      const connection = connectionOf(socket);
      connection.isEnding = true;
      for (const endReply of connection.endings) endReply();
      // One whose reply is over says nothing of the next request.
      if (connection.latest && connection.underWay > 0) connection.latest.shouldKeepAlive = false;
    }
    function check(): void {
      const now = performance.now();
      if (closeStalled(sockets, DRAIN_STALL_MS, now) > 0) isComplete = false;
      if (now - begin < IDLE_MS) return;
      for (const socket of sockets) if (isIdle(socket)) socket.destroy();
    }
    return new Promise((resolve) => {
      const cut = setTimeout(() => {
        isComplete &&= [...sockets].every((socket) => connectionOf(socket).underWay === 0);
        server.closeAllConnections();
      }, timeout);
      const timer = setInterval(check, CHECK_MS);
      // At the end of a turn of the event loop all connections that were made are accepted. The replies are the last ones
      // only from then on: a client makes a new connection after such a reply.
      setImmediate(() => {
        // That of node:http closes connections at once whose next request is on its way.
        NetServer.prototype.close.call(server, () => {
          clearTimeout(cut);
          clearInterval(timer);
          resolve(isComplete);
        });
        sockets.forEach(end);
      });
    });
  };
}

// For node:http a connection is idle, too, whose reply is written and not sent yet, and none is on which nothing came.
function isIdle(socket: Socket): boolean {
  const { underWay, bytesRead } = connectionOf(socket);
  return underWay === 0 && socket.bytesRead === bytesRead;
}
