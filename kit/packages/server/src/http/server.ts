import { createServer, IncomingMessage, type Server, type ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import { randomUUID } from 'node:crypto';
import { ensureReport, type Report, requestIdOf, setCommonHeaders, toLoggedPath } from './report';
import { toReports, type Reports } from './request-log';
import { afterLatestReply, beginRequest, connectionOf, trackConnections } from './connections';
import { Refusal, toRefusal, type RefusalKind } from '../errors/refusal';
import { createRenderer, type RefusalOptions } from '../errors/create-renderer';
import { type Render, renderSafely } from '../errors/render';
import { cutReply, writeContent, writeRawRefusal, writeRefusal } from './write';

/** Serves a well-formed request. It calls `done` with an unhandled error, or without an error if nothing has replied. */
export type Listener = (req: IncomingMessage, res: ServerResponse, done: (cause?: unknown) => void) => void;

export interface ServerReports extends Reports {
  readonly render: Render;
}

/** Creates the HTTP server. It also refuses and reports requests that never reach the application, such as malformed HTTP. */
export function createContractServer(
  listener: Listener,
  { render, ...reports }: ServerReports,
  options: ServerOptions = {},
): Server {
  const { report, reportOverflow } = toReports(reports);
  // Duplicate headers are joined, so that a second Host, Authorization or Content-Type is refused. Node would silently drop it.
  // normalizeRequest refuses a missing Host, because Node's own reply would not match the contract.
  const server = createServer({
    joinDuplicateHeaders: true,
    requireHostHeader: false,
    ...toMessageClasses(listener),
    ...options,
  });
  // Clients that have ended their sending half can still read the reply.
  Object.assign(server, { httpAllowHalfOpen: true });
  trackConnections(server);
  const refuseError = createErrorMiddleware(render, report);

  function serve(req: IncomingMessage, res: ServerResponse): void {
    if (!beginRequest(res, reportOverflow)) return;
    ensureReport(res, report);
    try {
      normalizeRequest(req);
      if (req.url === '*') {
        // OPTIONS for the whole server is a ping (RFC 9110 section 9.3.7).
        writeContent(res, 204, Buffer.alloc(0), {});
        return;
      }
      listener(req, res, (cause) => {
        refuseError(cause ?? new Refusal('UNKNOWN_PATH'), req, res, undefined);
      });
    } catch (cause) {
      refuseError(cause, req, res, undefined);
    }
  }

  // Instrumentation starts a span only for the event `request`.
  function emitRequest(req: IncomingMessage, res: ServerResponse): void {
    server.emit('request', req, res);
  }

  function refuseUnparsedMessage(socket: Socket, refusal: Refusal, { id, mayBeHead }: UnparsedMessage): void {
    if (!socket.writable) return;
    const ready = renderSafely(refusal, render, id);
    writeRawRefusal(socket, mayBeHead ? { ...ready, type: undefined, bytes: '' } : ready, id);
    report({ id, status: ready.status, refusal: ready.refusal });
  }

  server.on('request', serve);
  // node:http emits these for requests with an Expect header. receiveBody sends 100 Continue after authentication.
  server.on('checkContinue', emitRequest);
  server.on('checkExpectation', emitRequest);
  server.on('connect', (req, socket: Socket) => {
    // The server no longer handles errors of this socket.
    socket.on('error', () => undefined);
    afterLatestReply(socket, () => {
      const refusal = new Refusal('MALFORMED_REQUEST', 'The server is not a proxy, and does not support CONNECT.');
      refuseUnparsedMessage(socket, refusal, { id: requestIdOf(req), mayBeHead: false });
    });
  });
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const refusal = toParserRefusal(error);
    const { latest } = connectionOf(socket);
    // The parser reads ahead. If the error is after the latest request, the refusal waits until that request's reply ends.
    if (latest === undefined || latest.req.complete) {
      const message = { id: randomUUID(), mayBeHead: mayHaveMethodHead(error, socket) };
      afterLatestReply(socket, () => {
        refuseUnparsedMessage(socket, refusal, message);
      });
      return;
    }
    // The error is in the body of the latest request, which is refused unless its reply has begun.
    if (latest.headersSent) {
      socket.destroy();
      return;
    }
    latest.shouldKeepAlive = false;
    writeRefusal(latest, renderSafely(refusal, render, requestIdOf(latest.req)));
  });
  return server;
}

interface ParserError extends NodeJS.ErrnoException {
  /** The chunk that the parser could not read; undefined for a timeout. */
  readonly rawPacket?: Buffer;
}

/** A message for which node:http did not create a request. */
interface UnparsedMessage {
  readonly id: string;
  /** Whether the method is HEAD or unknown, so that the reply must not have content. */
  readonly mayBeHead: boolean;
}

// After HEAD, a client would mistake content for the next reply (RFC 9112 section 6.3).
function mayHaveMethodHead({ rawPacket }: ParserError, socket: Socket): boolean {
  // A timeout has no packet. If the message began before this packet, its method is not known.
  if (!rawPacket) return (readMethod(socket) ?? 'HEAD') === 'HEAD';
  return rawPacket.length !== socket.bytesRead - connectionOf(socket).bytesRead || rawPacket.includes('HEAD ');
}

// The parser reveals the method only at the end of the headers, so this ends them.
function readMethod(socket: Socket): string | undefined {
  const { parser } = socket as Socket & { readonly parser: UnfinishedParser | null };
  /* istanbul ignore if: the timer of a request that is over is stopped; a closed socket must not end the process */
  if (!parser) return undefined;
  let method: string | undefined;
  parser.onIncoming = (req) => {
    ({ method } = req);
    return 0;
  };
  parser.execute(Buffer.from('a:\r\n\r\n'));
  return method;
}

interface UnfinishedParser {
  onIncoming: (req: IncomingMessage) => number;
  execute(bytes: Buffer): unknown;
}

const PARSER_REFUSALS: Readonly<Partial<Record<string, readonly [kind: RefusalKind, detail?: string]>>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT'],
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['MALFORMED_REQUEST', 'The chunk extensions are larger than the server accepts.'],
  HPE_INVALID_EOF_STATE: ['MALFORMED_REQUEST', 'The connection ended before the request did.'],
};
const DEFAULT_PARSER_REFUSAL = ['MALFORMED_REQUEST', 'The message is not well-formed HTTP.'] as const;

/**
 * Creates middleware for requests that other middleware or routes answer. It gives each request an id and a report, and counts it
 * as in flight on its connection.
 *
 * @example app.use(trackRequests({ log }), helmet());
 */
export function trackRequests(options: Reports): RequestHandler {
  const { report, reportOverflow } = toReports(options);
  return function trackRequest(req, res, next) {
    if (!beginRequest(res, reportOverflow)) return;
    ensureReport(res, report);
    setCommonHeaders(req, res);
    next();
  };
}

function toParserRefusal({ code }: ParserError): Refusal {
  return new Refusal(...(PARSER_REFUSALS[String(code)] ?? DEFAULT_PARSER_REFUSAL));
}

type RefuseError = (cause: unknown, req: IncomingMessage, res: ServerResponse, next: unknown) => void;

/**
 * Creates middleware that turns the errors of other middleware into refusals that match the contract. An error with
 * `expose: true` keeps its status and message. Any other error becomes a 500 without details.
 *
 * @example app.use(refuseErrors({ contract, log }));
 */
export function refuseErrors({
  contract,
  render = createRenderer({ contract }),
  ...reports
}: Reports & RefusalOptions): RefuseError {
  return createErrorMiddleware(render, toReports(reports).report);
}

function createErrorMiddleware(render: Render, report: Report): RefuseError {
  // Express recognizes error middleware by its four parameters.
  return function refuseError(cause, req, res, _next) {
    const pending = ensureReport(res, report);
    const refusal = toRefusal(cause);
    // If middleware failed after it had called next(), the operation still replies, and only its report has this error.
    if (pending.isServing) {
      pending.recordMiddlewareError(refusal);
      return;
    }
    // If middleware failed in the middle of its own reply, the reply must not look complete to the client.
    if (res.headersSent && !res.writableEnded) cutReply(res);
    const ready = renderSafely(refusal, render, requestIdOf(res.req));
    // If the reply has begun, writeRefusal does nothing.
    writeRefusal(res, ready);
    const requestedPath = refusal.kind === 'UNKNOWN_PATH' ? toLoggedPath(req) : undefined;
    pending.settle({ requestedPath, refusal: ready.refusal, status: ready.status });
  };
}

// Matches an authority without user information (RFC 3986 section 3.2). The host can be empty.
const HOST = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d*)?$/;

// Matches a request target in absolute-form (RFC 9112 section 3.2.2).
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)(.*)/i;

/**
 * Checks that a request can be routed, and changes its `url` to origin-form, such as /pets?limit=1, except for `OPTIONS *`.
 *
 * @throws Refusal if the HTTP version, Expect, Host, Transfer-Encoding or the target is not supported (RFC 9112 sections 3.2
 *   and 6.1)
 */
export function normalizeRequest(req: IncomingMessage): void {
  const { host, expect, 'transfer-encoding': coding } = req.headers;
  const isHttp11 = req.httpVersion === '1.1';
  if (!isHttp11 && req.httpVersion !== '1.0') throw new Refusal('MALFORMED_REQUEST');
  if (isHttp11 && expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new Refusal('MALFORMED_REQUEST');
  }
  // HTTP/1.0 does not need a Host. Two Host headers are joined with a comma and a space, which the pattern does not match.
  const isHostInvalid = host === undefined ? isHttp11 : !HOST.test(host);
  const isTransferCodingInvalid = coding !== undefined && !(isHttp11 && coding.toLowerCase() === 'chunked');
  if (isHostInvalid || isTransferCodingInvalid || req.url?.includes('#') === true) {
    throw new Refusal('MALFORMED_REQUEST');
  }
  if (req.method !== 'OPTIONS' || req.url !== '*') req.url = toOriginForm(String(req.url));
}

function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const match = ABSOLUTE_FORM.exec(target);
  if (!match || !HOST.test(String(match[1]))) throw new Refusal('MALFORMED_REQUEST');
  const pathAndQuery = String(match[2]);
  return pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`;
}

/**
 * Creates classes for node:http whose objects have an Express application's prototypes from the start. Express itself would
 * change the prototype of each request and response, which slows down all later code (see expressjs/express#5998). For other
 * applications, it returns no classes.
 */
export function toMessageClasses(app: object): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  const { request, response } = app as Readonly<Record<string, unknown>>;
  if (!(request instanceof IncomingMessage && response instanceof ServerResponse)) return {};
  return {
    IncomingMessage: withPrototype(IncomingMessage, request),
    ServerResponse: withPrototype(ServerResponse, response),
  };
}

// Creates a subclass with the given prototype. `class extends` would create a new prototype.
function withPrototype<Class>(base: Class, prototype: object): Class {
  function Message(...args: unknown[]): object {
    return Reflect.construct(base as () => void, args, Message) as object;
  }
  Message.prototype = prototype;
  return Message as Class;
}
