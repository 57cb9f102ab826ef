// Creates a handler's input, whose log and signal are created only when they are used, and limits the handler's time.
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

/** What a handler gets in addition to the values of its request. */
export interface HandlerContext {
  /** A child of the service's log that adds the request's id and the operationId to each line. */
  readonly log: Logger;
  /** The X-Request-Id of the reply. */
  readonly requestId: string;
  /** Express's request, with what middleware added to it. It can be neither changed nor read as a stream. */
  readonly req: RequestView;
  /** Aborted if the client leaves before it has the reply, if a shutdown ends the reply, or if the time limit is reached. */
  readonly signal: AbortSignal;
}

interface Origin {
  readonly operation: string;
  readonly req: Request;
  readonly res: ServerResponse;
  readonly log: Logger;
}

interface Caller {
  readonly identity: Identities;
  readonly contentType: string | undefined;
}

const EMPTY: Groups = Object.freeze({});

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
  /** The signal's reason; set even if the signal has not been used yet. */
  #reason: Error | undefined;
  /** The bodies of all replies that the handler created; undefined once its reply is over. */
  #bodies: unknown[] | undefined = [];

  constructor(
    { path = EMPTY, query = EMPTY, headers = EMPTY, cookies = EMPTY, querystring, body }: CheckedRequest,
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

  /** Closes a body as soon as the reply is over, even if the body is never sent. */
  own(body: unknown): void {
    if (this.#bodies) this.#bodies.push(body);
    else closeBody(body);
  }

  end(): void {
    this.#bodies?.forEach(closeBody);
    this.#bodies = undefined;
  }

  /** Whether an error is the signal's reason, or was caused by it. */
  isAborted(error: unknown): boolean {
    const reason = this.#reason;
    return reason !== undefined && (error === reason || (Object(error) as Partial<Error>).cause === reason);
  }

  /** Aborts the signal, even if it is first used later. AbortController and AbortSignal.timeout() use these names for errors. */
  abort(name: 'AbortError' | 'TimeoutError', message: string): void {
    this.#reason ??= Object.assign(new Error(message), { name });
    this.#controller?.abort(this.#reason);
  }

  #createController(): AbortController {
    const { res } = this.#origin;
    const controller = new AbortController();
    // A drain can close the connection, too. After a malformed body, a refusal is sent while the handler is still working.
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
 * Waits at most `limit` ms for a handler's reply. After that, aborts the signal, and only logs a late result. The time starts again
 * whenever the handler asks for one of the `items`, and does not run out while the handler waits for the client.
 *
 * @throws Refusal when the time runs out
 */
export function withinTime(
  limit: number,
  call: HandlerCall,
  work: Promise<UntypedReply>,
  items?: RequestItems,
): Promise<UntypedReply> {
  // With Promise.race(), this would cost four times as much.
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
  // An error thrown by the log must not end the process.
  settled.then(undefined, () => undefined);
  return promise;
}

function dropReply(call: HandlerCall, reply: unknown): void {
  const { status, body } = Object(reply) as Partial<UntypedReply>;
  call.own(body);
  call.log.warn({ status }, 'the handler replied after its time limit, so the reply was dropped');
}
