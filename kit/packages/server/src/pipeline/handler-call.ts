// What a handler gets: the values of its request, and a log, an id and a signal, which are made when they are used; and the time
// that it may take.
import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Groups } from '@contract-kit/contract';
import type { Request } from 'express';
import type { Identities } from '../auth/authenticate';
import { createRequestView, type RequestView } from '../auth/request-view';
import { Refusal } from '../errors/refusal';
import { requestIdOf } from '../http/report';
import type { UntypedReply } from '../reply/check-reply';
import { closeBody } from '../reply/reply-items';
import type { CheckedRequest } from '../request/check-request';
import type { RequestItems } from '../request/request-items';

/** What a handler has beside the values of its request. */
export interface HandlerContext {
  /** A child of the service's log: its lines have the id of the request and the operationId. */
  readonly log: Logger;
  /** The id of the request, which the reply has as X-Request-Id. */
  readonly requestId: string;
  /** What middleware found: the request of Express, which can neither be changed nor read as a stream. */
  readonly req: RequestView;
  /**
   * Aborted when the client is gone before it has the reply, when a shutdown ends an event stream or waits no longer, and when the
   * time is over.
   */
  readonly signal: AbortSignal;
}

/** How a request came to its handler. */
interface Origin {
  readonly operation: string;
  readonly req: Request;
  readonly res: ServerResponse;
  /** The log of the service. */
  readonly log: Logger;
}

interface Caller {
  readonly identity: Identities;
  readonly contentType: string | undefined;
}

// A handler gets all four groups of parameters, though a request has only those that the contract declares.
const NOTHING: Groups = Object.freeze({});

/** The input of a handler. */
export class HandlerCall implements HandlerContext {
  readonly path: Groups;
  readonly query: Groups;
  readonly headers: Groups;
  readonly cookies: Groups;
  readonly querystring: unknown;
  readonly body: unknown;
  readonly contentType: string | undefined;
  readonly identity: Identities;
  readonly #origin: Origin;
  #log: Logger | undefined;
  #req: RequestView | undefined;
  #controller: AbortController | undefined;
  /** Why the signal is aborted, or would be if it were used. */
  #reason: Error | undefined;
  /** The bodies of the replies that the handler made; undefined once its reply is over. */
  #bodies: unknown[] | undefined = [];

  constructor(
    { path = NOTHING, query = NOTHING, headers = NOTHING, cookies = NOTHING, querystring, body }: CheckedRequest,
    { identity, contentType }: Caller,
    origin: Origin,
  ) {
    this.path = path;
    this.query = query;
    this.headers = headers;
    this.cookies = cookies;
    this.querystring = querystring;
    this.body = body;
    this.contentType = contentType;
    this.identity = identity;
    this.#origin = origin;
  }

  get log(): Logger {
    const { log, operation } = this.#origin;
    return (this.#log ??= log.child({ operation, id: this.requestId }));
  }

  get requestId(): string {
    return requestIdOf(this.#origin.res.req);
  }

  get req(): RequestView {
    return (this.#req ??= createRequestView(this.#origin.req));
  }

  get signal(): AbortSignal {
    return (this.#controller ??= this.#createController()).signal;
  }

  /** Closes a body, which may not be sent, as soon as the reply is over. */
  own(body: unknown): void {
    if (this.#bodies) this.#bodies.push(body);
    else closeBody(body);
  }

  end(): void {
    this.#bodies?.forEach(closeBody);
    this.#bodies = undefined;
  }

  /** Whether a handler failed because its signal was aborted: with the signal's reason, or an error that it caused. */
  isAborted(error: unknown): boolean {
    const reason = this.#reason;
    return reason !== undefined && (error === reason || (Object(error) as Partial<Error>).cause === reason);
  }

  /** Aborts the signal, even if it is used later. The names are those that AbortController and AbortSignal.timeout() give. */
  abort(name: 'AbortError' | 'TimeoutError', message: string): void {
    this.#reason ??= Object.assign(new Error(message), { name });
    this.#controller?.abort(this.#reason);
  }

  #createController(): AbortController {
    const { res } = this.#origin;
    const controller = new AbortController();
    // The end of a drain closes the connection, too, and a malformed body is refused while the handler is at work.
    const abortIfGone = (): void => {
      if (!res.writableFinished || this.#bodies) this.abort('AbortError', 'the client closed the connection');
    };
    if (res.closed) abortIfGone();
    else res.once('close', abortIfGone);
    if (this.#reason) controller.abort(this.#reason);
    return controller;
  }
}

/**
 * Waits for the reply of a handler, `limit` ms at most. Then its signal is aborted, and what it still does is only logged. The time
 * begins anew with each of the `items` that the handler asks for, and does not end while it waits for its client.
 *
 * @throws Refusal when its time is over
 */
export function withinTime(
  limit: number,
  call: HandlerCall,
  work: Promise<UntypedReply>,
  items?: RequestItems,
): Promise<UntypedReply> {
  // Promise.race() would cost a request four times as much.
  const { promise, resolve, reject } = Promise.withResolvers<UntypedReply>();
  let isOver = false;
  const timer = setTimeout(() => {
    if (items?.isWaiting === true) {
      timer.refresh();
      return;
    }
    isOver = true;
    stopTimer();
    const message = `the handler did not reply within ${String(limit)} ms`;
    reject(new Refusal('SERVICE_UNAVAILABLE', undefined, { cause: new Error(message) }));
    call.abort('TimeoutError', message);
  }, limit).unref();
  if (items) items.onRead = () => void timer.refresh();
  function stopTimer(): void {
    clearTimeout(timer);
    if (items) items.onRead = () => undefined;
  }
  const settled = work.then(
    (reply) => {
      stopTimer();
      if (isOver) dropReply(call, reply);
      else resolve(reply);
    },
    (cause: unknown) => {
      stopTimer();
      reject(cause);
      if (isOver && !call.isAborted(cause)) call.log.warn({ cause }, 'the handler failed after its time limit');
    },
  );
  // A log that fails does not end the process.
  settled.then(undefined, () => undefined);
  return promise;
}

// A handler in JavaScript may return anything.
function dropReply(call: HandlerCall, reply: unknown): void {
  const { status, body } = Object(reply) as Partial<UntypedReply>;
  call.own(body);
  call.log.warn({ status }, 'the handler replied after its time limit, so the reply was dropped');
}
