import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal, toRefusal, type RefusalKind } from './refusal';
import type { Render } from './render';
import type { Report } from './outcome';
import { requestIdOf } from './request-id';
import { assertServable } from './request-target';
import { writeLastRefusal, writeRawRefusal, writeRefusal } from './write';

/** What serves a well-formed request; `done` is called with what it could not handle. */
export type Listener = (req: IncomingMessage, res: ServerResponse, done: (cause?: unknown) => void) => void;

/**
 * An HTTP server in front of an application. It answers with an Error body whatever never reaches the application.
 *
 * @param render makes what a client is sent of a refusal
 * @param options of node:http, such as timeouts
 */
export function createContractServer(
  listener: Listener,
  report: Report,
  render: Render,
  options: ServerOptions = {},
): Server {
  // The parser goes on reading while a request is served. What it meets then is answered after that reply.
  const latest = new WeakMap<Socket, ServerResponse>();
  // Joined, a second Host, Authorization or Content-Type is seen and refused; Node would drop it without a word.
  const server = createServer({ joinDuplicateHeaders: true, requireHostHeader: false, ...options });

  function serve(req: IncomingMessage, res: ServerResponse): void {
    // RFC 9112 section 9.6: what comes after the request whose reply ends the connection is not for us to process.
    if (latest.get(req.socket)?.shouldKeepAlive === false) return;
    latest.set(req.socket, res);
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
    const rendered = render(refusal, undefined);
    writeRefusal(res, rendered, {});
    report({ id: requestIdOf(req), method: req.method, status: rendered.status, refusal });
  }

  function afterLatest(socket: Socket, act: () => void): void {
    const res = latest.get(socket);
    if (res === undefined || res.writableFinished) act();
    else res.once('finish', act);
  }

  function refuseRaw(socket: Socket, refusal: Refusal): void {
    if (!socket.writable) return;
    const rendered = render(refusal, undefined);
    writeRawRefusal(socket, rendered);
    report({ status: rendered.status, refusal });
  }

  server.on('request', serve);
  // Whoever expects 100-continue is told so when its body is wanted, not before.
  server.on('checkContinue', serve);
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    refuse(req, res, new Refusal('MALFORMED_REQUEST'));
  });
  server.on('connect', (_req, socket: Socket) => {
    // The socket is no longer the server's, which would have listened for errors.
    socket.on('error', () => undefined);
    afterLatest(socket, () => {
      refuseRaw(socket, new Refusal('MALFORMED_REQUEST'));
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const refusal = new Refusal(toKind(error));
    const res = latest.get(socket);
    if (res === undefined || res.req.complete) {
      afterLatest(socket, () => {
        refuseRaw(socket, refusal);
      });
    } else if (res.headersSent) socket.destroy();
    else writeLastRefusal(res, render(refusal, undefined));
  });
  return server;
}

function toKind({ code }: NodeJS.ErrnoException): RefusalKind {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'REQUEST_TIMEOUT';
    case 'HPE_HEADER_OVERFLOW':
      return 'HEADERS_TOO_LARGE';
    default:
      return 'MALFORMED_REQUEST';
  }
}
