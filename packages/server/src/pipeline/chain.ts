// The chain of an operation: the steps from a request to its reply.
import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Enforcement } from './enforcement';
import { toHandlerInput, dropReadOnly, type ReadOnlyRule } from '../request/convert';
import type { RunMiddleware } from './middleware';
import type { Groups } from '../contract/operation/message';
import type { RequestReader } from '../request/request-reader';
import type { MarkPrivate } from '../reply/headers';
import { toQuery } from '../http/request-target';
import type { UntypedReply } from '../reply/check-reply';
import { writeReply, type EncodedReply } from '../http/write';

/** A handler as the chain calls it. The compiler checked its types in the table of handlers. */
export type UntypedHandler = (
  request: UntypedRequest,
  reply: (status: number, body?: unknown, headers?: Groups) => UntypedReply,
) => UntypedReply | Promise<UntypedReply>;

export type UntypedRequest = Readonly<
  Record<'path' | 'query' | 'headers' | 'cookies' | 'identity', Groups> & {
    body?: unknown;
    contentType?: string | undefined;
  }
>;

/** Serves a request of one operation. Rejects with the reason if it was not served. */
export type Chain = (req: Request, res: Response, path: ReadonlyMap<string, string>) => Promise<void>;

const NOTHING: Groups = Object.freeze({});
// A handler gets all four groups of parameters, though a request has only those that the contract declares.
const EMPTY_GROUPS = { path: NOTHING, query: NOTHING, headers: NOTHING, cookies: NOTHING };

interface Links {
  readonly operation: string;
  readonly enforcement: Enforcement;
  readonly markPrivate: MarkPrivate;
  /** Runs after authentication; undefined where there is no such middleware. */
  readonly runMiddleware: RunMiddleware | undefined;
  readonly readRequest: RequestReader;
  readonly readOnly: ReadOnlyRule;
  readonly handler: UntypedHandler;
}

/** Creates the chain of the steps of one operation. One that fails throws a Refusal or another error, which the caller answers. */
export function createChain(links: Links): Chain {
  const { operation, enforcement, markPrivate, runMiddleware, readRequest, readOnly, handler } = links;
  const { authenticate, validate, addWrongFields, checkReply } = enforcement;

  return async function serve(req, res, pathParameters) {
    const query = toQuery(req.url);
    const carrier = { headers: req.headers, queryText: query };
    markPrivate(carrier, res);
    const identity = await authenticate(carrier);
    // False: middleware has answered the request itself.
    if (runMiddleware && !(await runMiddleware(req, res, { operation, identity }))) return;
    const texts = { path: pathParameters, query, headers: req.headers };
    // `message` is the declared request; `value` has numbers as doubles, and `tokens` the digits of its int64s as they were sent.
    const { message, value, tokens, contentType } = await readRequest(req, res, texts);
    dropReadOnly(message.shape, value, readOnly);
    try {
      validate(message, value);
    } catch (cause) {
      // The validator stops at the first wrong field.
      throw addWrongFields(cause, { message, value, tokens });
    }
    const request = toHandlerInput(message.shape, value, tokens) as object;
    const reply = await handler({ ...EMPTY_GROUPS, ...request, identity, contentType }, toReply);
    // Only a reply that is a stream has an end to wait for.
    const streamed = writeReply(res, reply.status, checkAndEncode(reply));
    if (streamed) await streamed;
  };

  function checkAndEncode(reply: UntypedReply): EncodedReply {
    try {
      return checkReply(reply);
    } catch (cause) {
      // A stream that is not sent would keep its file open.
      if (reply.body instanceof Readable) reply.body.destroy();
      throw cause;
    }
  }
}

/** The function that a handler makes its reply with, as in `reply(200, plant)`. */
function toReply(status: number, body?: unknown, headers = NOTHING): UntypedReply {
  // An error event without a listener would end the process; writeStream gets the error anyway.
  if (body instanceof Readable) body.on('error', () => undefined);
  return { status, body, headers };
}
