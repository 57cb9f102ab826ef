// Shuts a server down without breaking requests.
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { connectionOf, closeStalled, socketsOf } from './connections';
import { cutReply } from './write';

const CHECK_MS = 25;

/** How long idle connections are kept: a client may be about to send, and its reply then announces the end. */
export const IDLE_MS = 400;

/** How long a client may read nothing of its reply while the server shuts down. */
const DRAIN_STALL_MS = 1_000;

/**
 * Creates the function that shuts a server down without breaking a request: it accepts no new connections, sends the last
 * replies with `Connection: close`, and after a timeout in milliseconds closes what is left. Fulfilled with whether every client
 * got its replies.
 *
 * @example const drain = createDrain(server); process.once('SIGTERM', () => void drain(10_000));
 */
export function createDrain(server: Server): (timeout: number) => Promise<boolean> {
  return function drain(timeout) {
    const sockets = socketsOf(server);
    const start = performance.now();
    let isComplete = true;

    // Ends event streams, and makes the last reply of a connection say `Connection: close`.
    function closeAfterReplies(socket: Socket): void {
      const connection = connectionOf(socket);
      connection.isEnding = true;
      for (const endStream of connection.streamEnders) endStream();
      // If the latest reply is over, isEnding makes the next one say so.
      if (connection.latest && connection.inFlight > 0) connection.latest.shouldKeepAlive = false;
    }
    function closeUnused(): void {
      const now = performance.now();
      if (closeStalled(sockets, DRAIN_STALL_MS, now) > 0) isComplete = false;
      // On an idle connection, a client may be about to send a request.
      if (now - start < IDLE_MS) return;
      // After the sockets were read: if the process was busy, a request may wait there.
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
      // Wait until connections that were made already are accepted. Only then announce the end in replies: after such a
      // reply a client makes a new connection, to another server.
      setImmediate(() => {
        // Not http.Server's close(): it closes idle connections at once, though a request may be on its way.
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

// node:http's own idle connections differ: they include unsent replies, and lack connections without a request.
function isIdle(socket: Socket): boolean {
  const { inFlight, bytesRead } = connectionOf(socket);
  return inFlight === 0 && socket.bytesRead === bytesRead;
}
