// The chain of an operation: the steps from a request to its reply.
import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Enforcement } from './enforcement/enforcement';
import { toHandlerInput } from './request/int64-values';
import type { RunMiddleware } from './middleware';
import type { Groups } from './operation/message';
import { dropReadOnly, type ReadOnlyRule } from './request/drop-read-only';
import type { RequestReader } from './request/request-reader';
import { toQuery } from './http/request-target';
import type { UntypedReply } from './reply/check-reply';
import { writeReply, type EncodedReply } from './http/write';

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
const NO_PARAMETERS = { path: NOTHING, query: NOTHING, headers: NOTHING, cookies: NOTHING };

/** The steps of one operation. */
export interface Links {
  readonly operation: string;
  readonly enforcement: Enforcement;
  /** Runs after authentication; undefined where there is no such middleware. */
  readonly runMiddleware: RunMiddleware | undefined;
  readonly readRequest: RequestReader;
  readonly readOnly: ReadOnlyRule;
  readonly handler: UntypedHandler;
}

/** Creates the chain: authenticate, run middleware, read, validate, handle, check the reply, write it. */
export function createChain({ operation, enforcement, runMiddleware, readRequest, readOnly, handler }: Links): Chain {
  const { authenticate, validate, explain, checkReply } = enforcement;

  return async function serve(req, res, path) {
    const query = toQuery(req.url);
    const identity = await authenticate({ headers: req.headers, queryText: query });
    if (runMiddleware && !(await runMiddleware(req, res, { operation, identity }))) return;
    const { message, value, tokens, contentType } = await readRequest(req, res, { path, query, headers: req.headers });
    dropReadOnly(message.shape, value, readOnly);
    try {
      validate(message, value);
    } catch (cause) {
      throw explain(cause, { message, value, tokens });
    }
    const request = toHandlerInput(message.shape, value, tokens) as object;
    const reply = await handler({ ...NO_PARAMETERS, ...request, identity, contentType }, toReply);
    const written = writeReply(res, reply.status, encode(reply));
    if (written) await written;
  };

  function encode(reply: UntypedReply): EncodedReply {
    try {
      return checkReply(reply);
    } catch (cause) {
      if (reply.body instanceof Readable) reply.body.destroy();
      throw cause;
    }
  }
}

function toReply(status: number, body?: unknown, headers = NOTHING): UntypedReply {
  // An error event without a listener would end the process; writeStream gets the error anyway.
  if (body instanceof Readable) body.on('error', () => undefined);
  return { status, body, headers };
}
