import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Request } from 'express';
import { Refusal } from '../errors/refusal';
import { setCaller, watchAbort } from './trace';

const WELL_FORMED = /^[A-Za-z0-9._-]{8,64}$/;
// https://www.w3.org/TR/trace-context/#traceparent-header
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

// A WeakMap would cost each request more than the id itself.
const ID = Symbol('id');

/** Returns the X-Request-Id if it is well-formed, the trace id of a traceparent, or a new id. */
export function requestIdOf(req: IncomingMessage & { [ID]?: string | undefined }): string {
  return (req[ID] ??= givenId(req) ?? traceIdOf(req) ?? randomUUID());
}

function givenId({ headers: { 'x-request-id': id, authorization } }: IncomingMessage): string | undefined {
  // The id is logged, so it must not be part of the credentials.
  return typeof id === 'string' && WELL_FORMED.test(id) && authorization?.includes(id) !== true ? id : undefined;
}

function traceIdOf({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}

const MAX_ADDRESS_CHARACTERS = 64;

// A proxy may forward a header that the client made up, so the value is not necessarily an IP address.
function clientOf(req: IncomingMessage & Partial<Pick<Request, 'app' | 'ip'>>): string | undefined {
  if (req.app?.enabled('trust proxy') !== true) return undefined;
  const ip = String(req.ip);
  return isIP(ip) !== 0 && ip.length <= MAX_ADDRESS_CHARACTERS ? ip : undefined;
}

const MAX_LOGGED_CHARACTERS = 200;

// Escapes a client's text for the log, as at most 200 characters of printable ASCII.
function toLogged(text: string): string {
  const cut = text.slice(0, MAX_LOGGED_CHARACTERS);
  const escaped = cut.replaceAll(/[^!-~]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
  return escaped.slice(0, MAX_LOGGED_CHARACTERS);
}

export function toLoggedPath(req: { readonly url?: string | undefined; readonly originalUrl?: string }): string {
  return toLogged(
    String(req.originalUrl ?? req.url)
      .split('?', 1)
      .join(),
  );
}

interface Details extends Pick<Outcome, 'path' | 'requestedPath' | 'operation' | 'refusal'> {
  /** Set if the client may leave before the reply has a status. */
  readonly status?: number | undefined;
}

// A WeakMap would cost each request a tenth of its time.
const PENDING = Symbol('pending');

/** The first call for a request creates its report and starts the clock. Later calls return the same object. */
export function ensureReport(
  res: ServerResponse & { [PENDING]?: PendingReport | undefined },
  report: Report,
): PendingReport {
  const pending = res[PENDING] ?? new PendingReport(res, report);
  res[PENDING] = pending;
  return pending;
}

/** Adds an error to a request's report after its work is done, for example if the reply could not be sent. */
export function reportFailure(res: ServerResponse & { [PENDING]?: PendingReport }, cause: unknown): void {
  res[PENDING]?.settle({ refusal: new Refusal('INTERNAL_ERROR', undefined, { cause }), status: 500 });
}

/** Adds the caller's subjects to the report and the span of a request. */
export function reportCaller(
  res: ServerResponse & { [PENDING]?: PendingReport },
  identities: readonly { readonly subject?: unknown }[],
): void {
  let caller = '';
  for (const { subject } of identities) if (typeof subject === 'string') caller += `${caller && ','}${subject}`;
  if (res[PENDING] && caller !== '') setCaller((res[PENDING].caller = toLogged(caller)));
}

class PendingReport {
  /** Whether an operation is working on the reply. The report then waits for `settle`. */
  isServing = false;
  caller: string | undefined;
  readonly #start = performance.now();
  readonly #res: ServerResponse;
  readonly #report: Report;
  // Read at the start, since a closed connection no longer has an address.
  readonly #client: string | undefined;
  #details: Details = {};
  #isReported = false;

  constructor(res: ServerResponse, report: Report) {
    this.#res = res;
    this.#report = report;
    this.#client = clientOf(res.req);
    watchAbort(res);
    // The event is emitted only once, and once() would cost more.
    res.on('close', () => {
      if (!this.isServing) this.#send();
    });
  }

  /** Notes an error of middleware while an operation is still working. */
  note(refusal: Refusal): void {
    this.#details = { refusal };
  }

  /** Adds the request's result, which is reported once the reply is over, or now if it already is. */
  settle(details: Details): void {
    this.isServing = false;
    // Keeps an error of middleware noted in the meantime, and the operation that passed the request on.
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
      // Middleware may have replied before something else went wrong.
      status: res.headersSent ? res.statusCode : status,
      refusal,
      milliseconds: performance.now() - this.#start,
      isAborted: !res.writableFinished,
    });
  }
}

/** A request's result. The client can choose the ids, the method, `client`, `caller` and `requestedPath`, so they are checked. */
export interface Outcome {
  /** The X-Request-Id of the reply. */
  readonly id?: string | undefined;
  /** The trace id of the request's traceparent. */
  readonly traceId?: string | undefined;
  /** The client's address, if the application sets Express's `trust proxy` and its proxies report an address. */
  readonly client?: string | undefined;
  /** The subjects of the credentials, if there are any, escaped and at most 200 characters long. */
  readonly caller?: string | undefined;
  /** The HTTP method; undefined if the parser could not read it. */
  readonly method?: string | undefined;
  /** The path of the operation in the contract, or of a file of the documentation. */
  readonly path?: string | undefined;
  /** The requested path, if no operation has it with this method, escaped and at most 200 characters long. */
  readonly requestedPath?: string | undefined;
  /** The operationId; undefined if no operation has the path and the method. */
  readonly operation?: string | undefined;
  readonly status: number;
  readonly refusal?: Refusal | undefined;
  readonly milliseconds?: number;
  /** Whether the client left before it had the whole reply. */
  readonly isAborted?: boolean;
}

/** Called once for every request, after the reply. */
export type Report = (outcome: Outcome) => void;

/** Keeps browsers from guessing another type for a response's content (the Fetch standard, 2.2). */
export const NOSNIFF = ['X-Content-Type-Options', 'nosniff'] as const;

/** Sets the headers that every reply has, even if middleware writes it. */
export function setCommonHeaders(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('X-Request-Id', requestIdOf(req));
  res.setHeader(...NOSNIFF);
}
