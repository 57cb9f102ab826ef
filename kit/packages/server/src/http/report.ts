import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Request } from 'express';
import { Refusal } from '../errors/refusal';
import { setCaller, watchAbort } from './trace';

const WELL_FORMED_ID = /^[A-Za-z0-9._-]{8,64}$/;
// Matches a traceparent header (https://www.w3.org/TR/trace-context/#traceparent-header).
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

// The property for a request's id. A WeakMap would cost more than creating the id.
const ID = Symbol('id');

/** Returns the X-Request-Id if it is well-formed, otherwise the trace id of a traceparent, otherwise a new id. */
export function requestIdOf(req: IncomingMessage & { [ID]?: string | undefined }): string {
  return (req[ID] ??= clientIdOf(req) ?? traceIdOf(req) ?? randomUUID());
}

function clientIdOf({ headers: { 'x-request-id': id, authorization } }: IncomingMessage): string | undefined {
  // The id is logged, so it must not be part of the credentials.
  return typeof id === 'string' && WELL_FORMED_ID.test(id) && authorization?.includes(id) !== true ? id : undefined;
}

function traceIdOf({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}

const MAX_ADDRESS_CHARACTERS = 64;

// A proxy can forward a header that the client made up, so the value is not necessarily an IP address.
function clientOf(req: IncomingMessage & Partial<Pick<Request, 'app' | 'ip'>>): string | undefined {
  if (req.app?.enabled('trust proxy') !== true) return undefined;
  const ip = String(req.ip);
  return isIP(ip) !== 0 && ip.length <= MAX_ADDRESS_CHARACTERS ? ip : undefined;
}

const MAX_LOGGED_CHARACTERS = 200;

// Escapes text from a client for the log. The result is at most 200 characters of printable ASCII.
function escapeForLog(text: string): string {
  const shortText = text.slice(0, MAX_LOGGED_CHARACTERS);
  const escaped = shortText.replaceAll(/[^!-~]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
  return escaped.slice(0, MAX_LOGGED_CHARACTERS);
}

export function toLoggedPath(req: { readonly url?: string | undefined; readonly originalUrl?: string }): string {
  return escapeForLog(
    String(req.originalUrl ?? req.url)
      .split('?', 1)
      .join(),
  );
}

interface Details extends Pick<Outcome, 'path' | 'requestedPath' | 'operation' | 'refusal'> {
  /** The status to report. It is needed if the client might leave before the reply has one. */
  readonly status?: number | undefined;
}

// The property for a response's report. A WeakMap would take a tenth of each request's time.
const PENDING = Symbol('pending');

/** Returns the report of a request. The first call creates it and starts measuring the time. */
export function ensureReport(
  res: ServerResponse & { [PENDING]?: PendingReport | undefined },
  report: Report,
): PendingReport {
  const pending = res[PENDING] ?? new PendingReport(res, report);
  res[PENDING] = pending;
  return pending;
}

/** Adds an error to a request's report after the operation has finished, for example if the reply could not be sent. */
export function reportFailure(res: ServerResponse & { [PENDING]?: PendingReport }, cause: unknown): void {
  res[PENDING]?.settle({ refusal: new Refusal('INTERNAL_ERROR', undefined, { cause }), status: 500 });
}

/** Adds the subjects of the caller's credentials to the request's report and span. */
export function reportCaller(
  res: ServerResponse & { [PENDING]?: PendingReport },
  identities: readonly { readonly subject?: unknown }[],
): void {
  let caller = '';
  for (const { subject } of identities) if (typeof subject === 'string') caller += `${caller && ','}${subject}`;
  if (res[PENDING] && caller !== '') setCaller((res[PENDING].caller = escapeForLog(caller)));
}

class PendingReport {
  /** Whether an operation is still working on the reply. Until `settle` is called, nothing is reported. */
  isServing = false;
  caller: string | undefined;
  readonly #start = performance.now();
  readonly #res: ServerResponse;
  readonly #report: Report;
  // The client's address. It is read at the start, because a closed connection no longer has an address.
  readonly #client: string | undefined;
  #details: Details = {};
  #isReported = false;

  constructor(res: ServerResponse, report: Report) {
    this.#res = res;
    this.#report = report;
    this.#client = clientOf(res.req);
    watchAbort(res);
    res.on('close', () => {
      if (!this.isServing) this.#send();
    });
  }

  /** Records an error from middleware while an operation is still running. */
  recordMiddlewareError(refusal: Refusal): void {
    this.#details = { refusal };
  }

  /** Adds the request's result, which is reported when the reply ends, or immediately if it has already ended. */
  settle(details: Details): void {
    this.isServing = false;
    // Earlier details are kept: an error that middleware threw, or the operation that passed the request on.
    this.#details = { ...this.#details, ...details, refusal: details.refusal ?? this.#details.refusal };
    if (this.#res.closed) this.#send();
  }

  #send(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const res = this.#res;
    const { path, requestedPath, operation, refusal, status = res.statusCode } = this.#details;
    this.#report({
      id: requestIdOf(res.req),
      traceId: traceIdOf(res.req),
      client: this.#client,
      caller: this.caller,
      method: res.req.method,
      path,
      requestedPath,
      operation,
      // Middleware might have replied before the error happened.
      status: res.headersSent ? res.statusCode : status,
      refusal,
      milliseconds: performance.now() - this.#start,
      isAborted: !res.writableFinished,
    });
  }
}

/** The result of a request. The ids, the method, `client`, `caller` and `requestedPath` come from the client, and are checked. */
export interface Outcome {
  /** The X-Request-Id of the reply. */
  readonly id?: string | undefined;
  /** The trace id of the request's traceparent. */
  readonly traceId?: string | undefined;
  /** The client's address, if the application sets Express's `trust proxy` and the proxies report an address. */
  readonly client?: string | undefined;
  /** The subjects of the credentials, escaped and at most 200 characters long. */
  readonly caller?: string | undefined;
  /** The HTTP method; undefined if the parser could not read it. */
  readonly method?: string | undefined;
  /** The path of the operation in the contract, or of a documentation file. */
  readonly path?: string | undefined;
  /** The requested path if no operation matches, escaped and at most 200 characters long. */
  readonly requestedPath?: string | undefined;
  /** The operationId; undefined if no operation matches. */
  readonly operation?: string | undefined;
  readonly status: number;
  readonly refusal?: Refusal | undefined;
  readonly milliseconds?: number;
  /** Whether the client left before it got the whole reply. */
  readonly isAborted?: boolean;
}

/** Called once for every request, after the reply. */
export type Report = (outcome: Outcome) => void;

/** Prevents browsers from guessing another content type for a response (Fetch standard, section 2.2). */
export const NOSNIFF = ['X-Content-Type-Options', 'nosniff'] as const;

/** Sets the headers of every reply, including replies from middleware. */
export function setCommonHeaders(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('X-Request-Id', requestIdOf(req));
  res.setHeader(...NOSNIFF);
}
