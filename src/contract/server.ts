import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterLatest, beginRequest, connectionOf } from './connection';
import { trackConnections } from './connections';
import { Refusal, type ErrorName } from './errors';
import { toRefusal, type Report } from './outcome';
import { requestIdOf } from './request-id';
import { assertServable } from './request-target';
import { writeLastRefusal, writeRawRefusal, writeRefusal } from './write';

/** What serves a well-formed request; `done` is called with what it could not handle. */
export type Listener = (req: IncomingMessage, res: ServerResponse, done: (cause?: unknown) => void) => void;

/**
 * An HTTP server in front of an application. It answers with an Error body whatever never reaches the application.
 *
 * @param options of node:http, such as timeouts
 * @param reportCut is told of each connection that is closed because too many of its requests are under way
 */
export function createContractServer(
  listener: Listener,
  report: Report,
  options: ServerOptions = {},
  reportCut?: () => void,
): Server {
  // Joined, a second Host, Authorization or Content-Type is seen and refused; Node would drop it without a word.
  const server = createServer({ joinDuplicateHeaders: true, requireHostHeader: false, ...options });
  trackConnections(server);

  function serve(req: IncomingMessage, res: ServerResponse): void {
    if (!beginRequest(res, reportCut)) return;
    try {
      assertServable(req);
      listener(req, res, (cause) => {
        refuse(req, res, cause);
      });
    } catch (cause) {
      refuse(req, res, cause);
    }
  }

  function refuse(req: IncomingMessage, res: ServerResponse, cause: unknown): void {
    const refusal = toRefusal(cause);
    writeRefusal(res, refusal, {});
    report({ id: requestIdOf(req), method: req.method, status: refusal.status, refusal });
  }

  function refuseRaw(socket: Socket, refusal: Refusal): void {
    if (!socket.writable) return;
    writeRawRefusal(socket, refusal);
    report({ status: refusal.status, refusal });
  }

  server.on('request', serve);
  // Whoever expects 100-continue is told so when its body is wanted, not before.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  server.on('connect', (_req, socket: Socket) => {
    // The socket is no longer the server's, which would have listened for errors.
    socket.on('error', () => undefined);
    afterLatest(socket, () => {
      refuseRaw(socket, new Refusal('MALFORMED_REQUEST'));
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const refusal = new Refusal(toErrorName(error));
    const { latest: res } = connectionOf(socket);
    // The parser goes on reading while a request is served. What it meets then is answered after that reply.
    if (res === undefined || res.req.complete) {
      afterLatest(socket, () => {
        refuseRaw(socket, refusal);
      });
    } else if (res.headersSent) socket.destroy();
    else writeLastRefusal(res, refusal);
  });
  return server;
}

function toErrorName({ code }: NodeJS.ErrnoException): ErrorName {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'REQUEST_TIMEOUT';
    case 'HPE_HEADER_OVERFLOW':
      return 'HEADERS_TOO_LARGE';
    default:
      return 'MALFORMED_REQUEST';
  }
}
