import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const IDLE_CHECK_MS = 25;

/**
 * A way to end a server without breaking a request: no new connections, replies that announce the end of theirs, and
 * after a time the rest is cut.
 *
 * @returns ends the server; fulfilled with whether every request was answered. The time is in milliseconds.
 */
export function createDrain(server: Server): (timeout: number) => Promise<boolean> {
  const open = new Set<ServerResponse>();
  let isDraining = false;

  function announceEnd(res: ServerResponse): void {
    if (!res.headersSent) res.setHeader('Connection', 'close');
  }
  function track(_req: IncomingMessage, res: ServerResponse): void {
    open.add(res);
    res.once('close', () => open.delete(res));
    if (isDraining) announceEnd(res);
  }
  server.prependListener('request', track);
  server.prependListener('checkContinue', track);

  return function drain(timeout) {
    isDraining = true;
    open.forEach(announceEnd);
    return new Promise((resolve) => {
      let isComplete = true;
      const cut = setTimeout(() => {
        isComplete = open.size === 0;
        server.closeAllConnections();
      }, timeout);
      const closeIdle = setInterval(() => {
        server.closeIdleConnections();
      }, IDLE_CHECK_MS);
      server.close(() => {
        clearTimeout(cut);
        clearInterval(closeIdle);
        resolve(isComplete);
      });
    });
  };
}
