import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const IDLE_CHECK_MS = 25;

/**
 * A way to end a server without breaking a request: no new connections, replies that announce the end of theirs, and
 * after a time the rest is cut.
 *
 * @returns ends the server; fulfilled with whether every request was answered. The time is in milliseconds.
 */
export function createDrain(server: Server): (timeout: number) => Promise<boolean> {
  // Of several requests in a pipeline the last reply ends the connection.
  const latest = new Map<Socket, ServerResponse>();
  let isDraining = false;

  function track({ socket }: IncomingMessage, res: ServerResponse): void {
    if (!latest.has(socket)) socket.once('close', () => latest.delete(socket));
    latest.set(socket, res);
    if (isDraining) res.shouldKeepAlive = false;
  }
  server.prependListener('request', track);
  server.prependListener('checkContinue', track);

  return function drain(timeout) {
    isDraining = true;
    for (const res of latest.values()) res.shouldKeepAlive = false;
    return new Promise((resolve) => {
      let isComplete = true;
      const cut = setTimeout(() => {
        isComplete = [...latest.values()].every(({ writableFinished }) => writableFinished);
        server.closeAllConnections();
      }, timeout);
      const closeIdle = setInterval(() => {
        server.closeIdleConnections();
      }, IDLE_CHECK_MS);
      const close = (): void => {
        server.close(() => {
          clearTimeout(cut);
          clearInterval(closeIdle);
          resolve(isComplete);
        });
      };
      // Two turns of the event loop, in which what clients have sent already is read.
      setImmediate(() => setImmediate(close));
    });
  };
}
