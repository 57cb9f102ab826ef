import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Groups, Operation } from '@contract-kit/contract';
import type { Validators } from './validators';
import type { Logger } from 'pino';
import { createRequestReader, type ReadRequest } from '../request/read-request';
import { isBodyReadAlready, type BodyLimits } from '../request/receive-body';
import { createMarkPrivate } from '../reply/headers';
import { toQuery } from './routes';
import { encodeUnchecked, ReplyError, toReplyFaults, type ReplyCheck, type UntypedReply } from '../reply/check-reply';
import type { FindingReport } from '../http/findings';
import { reportCaller } from '../http/report';
import { closeBody, ReplyItems } from '../reply/reply-items';
import { isEventStream, writeReply, type EncodedReply } from '../http/write';
import { ClientLeft, Refusal, toFaultRefusal } from '../errors/refusal';
import type { RunMiddleware } from './middleware';
import { HandlerCall, withinTime } from './handler-call';
import { MAX_TIME_MS } from '../http/request-time';
import type { Watch } from '../watch/watch-operation';
import { SAMPLE_HEADER, type SampleReply } from './sample-reply';

/** A handler as the pipeline calls it. The compiler has checked its types in the table of handlers. */
export type UntypedHandler = (
  request: UntypedRequest,
  reply: (status: number, body?: unknown, headers?: Groups) => UntypedReply,
) => UntypedReply | Promise<UntypedReply>;

export type UntypedRequest = Omit<HandlerCall, 'abort' | 'isAborted' | 'own' | 'end'>;

/** Serves a request. Resolves to true if the next route should answer, to a Refusal of invalid values, or else to false. */
export type Pipeline = (req: Request, res: Response, path: ReadonlyMap<string, string>) => Promise<boolean | Refusal>;

/**
 * How much of the contract is enforced:
 * - `watch`: the application's route answers. Request and reply are checked, but not changed.
 * - `requests`: credentials and requests are enforced. The application's route answers, and its reply is checked.
 * - `report`: the handler answers. A reply that does not match the contract is sent as it is, and reported.
 * - `strip`: undeclared and writeOnly properties are removed from a reply before it is sent.
 * - `enforce`: a reply that does not match the contract is refused.
 */
export type Mode = (typeof MODES)[number];
export const MODES = ['watch', 'requests', 'report', 'strip', 'enforce'] as const;

/** How strictly the contract is enforced for an operation. */
export interface Rules {
  /** How much is enforced; by default `enforce`. */
  readonly mode?: Mode | undefined;
  /** What happens to an undeclared query parameter; by default `refuse`. */
  readonly undeclaredQuery?: 'refuse' | 'ignore' | undefined;
}

interface Steps {
  readonly rules: Rules;
  /** Called with what is wrong with a reply that is sent anyway. */
  readonly reportFinding: FindingReport;
  readonly validators: Validators;
  readonly namesCaller: boolean;
  /** Watches the reply of the application's route; undefined if a handler answers. */
  readonly watch: Watch | undefined;
  readonly runMiddleware: RunMiddleware | undefined;
  readonly limits: BodyLimits;
  readonly handler: UntypedHandler;
  readonly log: Logger;
  /** The handler's time limit in milliseconds; 0 for no limit. */
  readonly timeout: number;
  /** Replies for a handler that is not written yet; undefined to refuse such requests. */
  readonly sampleReply: SampleReply | undefined;
}

/** Creates the pipeline of one operation. The caller must answer the Refusals and other errors that its steps throw. */
export function createPipeline(
  operation: Operation,
  {
    validators,
    namesCaller,
    watch,
    runMiddleware,
    limits,
    handler,
    log,
    timeout,
    sampleReply,
    rules,
    reportFinding,
  }: Steps,
): Pipeline {
  const { authenticate, checkRequest, checkReply } = validators;
  const ignoreUndeclared = rules.mode === 'strip' ? () => undefined : undefined;
  const markPrivate = createMarkPrivate(operation);
  const readRequest = createRequestReader(operation, limits, { ...rules, leavesBody: watch !== undefined });
  const sendsItems = [...operation.replies.values()].some(({ media }) => [...media.values()].some(({ item }) => item));
  const hasTimeLimit = timeout > 0 && timeout <= MAX_TIME_MS;

  return async function serve(req, res, pathParameters) {
    const query = toQuery(req.url);
    const carrier = { headers: req.headers, queryText: query };
    markPrivate(carrier, res);
    const identity = await authenticate(carrier, req);
    if (namesCaller) reportCaller(res, Object.values(identity));
    if (runMiddleware && !(await runMiddleware(req, res, { operation: operation.id, identity }))) return false;
    const texts = { path: pathParameters, query, headers: req.headers };
    const request = await readRequest(req, res, texts);
    if (watch) {
      Object.assign(res.locals, { operation: operation.id, identity });
      const refusal = checkForRoute(req, request);
      if (!refusal) watch(req, res, undefined, request.value['body']);
      return refusal ?? true;
    }
    let call: HandlerCall | undefined;
    try {
      const checkResult = checkRequest(request);
      if (checkResult instanceof Refusal) return checkResult;
      const values = request.items ? { ...checkResult, body: request.items.read(validators.checkItem) } : checkResult;
      call = new HandlerCall(values, { ...request, identity }, { operation: operation.id, req, res, log });
      const reply = await callHandler(call, res, request);
      const encoded = encode(call, reply);
      const streamEnd = writeReply(res, reply.status, encoded);
      if (streamEnd) await streamEnd;
      if (encoded.body instanceof ReplyItems && encoded.body.isClosed)
        call.abort('AbortError', 'the reply ended before its items did');
    } finally {
      call?.end();
      void request.file?.remove();
    }
    return false;
  };

  function checkForRoute(req: Request, request: ReadRequest): Refusal | undefined {
    void request.file?.remove();
    const checked = checkRequest(request);
    if (!(checked instanceof Refusal)) return undefined;
    if (isBodyReadAlready(req)) return checked;
    // The body is missing only because the next route has yet to read it.
    const faults = checked.faults.filter(({ pointer }) => pointer !== '/body');
    return faults.length > 0 ? toFaultRefusal(faults) : undefined;
  }

  async function callHandler(
    call: HandlerCall,
    res: Response,
    { file, items }: Pick<ReadRequest, 'file' | 'items'>,
  ): Promise<UntypedReply> {
    try {
      const handlerResult = handler(call, (...reply) => toReply(call, ...reply));
      const reply = sendsItems ? readFirstItem(call, handlerResult) : handlerResult;
      if (!('then' in reply)) return reply;
      // If a thenable's `then` throws, the promise rejects.
      const work = Promise.resolve(reply);
      // A handler may still read the file after its time limit.
      file?.keepDuring(work);
      return await (hasTimeLimit ? withinTime(timeout, call, work, items) : work);
    } catch (cause) {
      const isUnbuilt = cause instanceof Refusal && cause.kind === 'NOT_BUILT';
      const sample = isUnbuilt ? sampleReply?.(call.path) : undefined;
      if (sample) {
        res.setHeader(SAMPLE_HEADER, 'true');
        return sample;
      }
      throw call.isAborted(cause) ? new ClientLeft() : cause;
    }
  }

  // Reads the first item ahead, so that its error counts as the handler's. An event stream starts without waiting for an event.
  async function readFirstItem(
    call: HandlerCall,
    returned: UntypedReply | Promise<UntypedReply>,
  ): Promise<UntypedReply> {
    const reply = await returned;
    const encoded = encode(call, reply);
    const { body, type } = encoded;
    if (body instanceof ReplyItems && !isEventStream(type) && !call.signal.aborted) await body.readFirst(call.signal);
    return new CheckedReply(reply, checkReply, encoded);
  }

  // The `reply` of a handler. It checks at once, so that a handler can undo its work if the reply does not match the contract.
  function toReply(call: HandlerCall, status: number, body?: unknown, headers: Groups = {}): UntypedReply {
    const reply = { status, body, headers };
    return new CheckedReply(reply, checkReply, encode(call, reply));
  }

  function encode(call: HandlerCall, reply: UntypedReply): EncodedReply {
    const existingEncoding = CheckedReply.encodedBy(checkReply, reply);
    if (existingEncoding) return existingEncoding;
    // An error event without a listener would end the process. writeStream gets the error anyway.
    if (reply.body instanceof Readable) call.own(reply.body.on('error', () => undefined));
    try {
      const encoded = rules.mode === 'report' ? encodeAnyway(reply) : checkReply(reply, ignoreUndeclared);
      if (encoded.body instanceof ReplyItems) call.own(encoded.body);
      return encoded;
    } catch (cause) {
      closeBody(reply.body);
      throw new ReplyError(cause);
    }
  }

  function encodeAnyway(reply: UntypedReply): EncodedReply {
    try {
      return checkReply(reply);
    } catch (cause) {
      const encoded = encodeUnchecked(operation, reply);
      for (const { rule, place, message: detail } of toReplyFaults(operation, reply, cause))
        reportFinding({ operation: operation.id, message: 'reply', status: reply.status, rule, place, detail });
      return encoded;
    }
  }
}

/** A reply that was checked and encoded. A handler in JavaScript can return another object, which is checked later. */
class CheckedReply implements UntypedReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Groups;
  // The check that created the reply. With a WeakMap keyed by reply, a request that reads one row would take a fifth longer.
  readonly #checkReply: ReplyCheck;
  readonly #encoded: EncodedReply;

  constructor({ status, body, headers }: UntypedReply, checkReply: ReplyCheck, encoded: EncodedReply) {
    this.status = status;
    this.body = body;
    this.headers = headers;
    this.#checkReply = checkReply;
    this.#encoded = encoded;
  }

  /** Returns a reply's encoding; undefined if the reply was not created with this check. */
  static encodedBy(checkReply: ReplyCheck, reply: UntypedReply): EncodedReply | undefined {
    return reply instanceof CheckedReply && reply.#checkReply === checkReply ? reply.#encoded : undefined;
  }
}
