import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Enforcement } from './enforcement/enforcement';
import { toHandlerInput } from './request/int64-values';
import type { Groups } from './operation/message';
import type { RequestReader } from './request/request-reader';
import { toQuery } from './http/request-target';
import type { UntypedReply } from './reply/check-reply';
import { writeReply } from './http/write';

/** A handler as the chain calls it; its types were checked where the table of handlers was made. */
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

/** The way of a request through one operation. Rejected with why it was not served. */
export type Chain = (req: IncomingMessage, res: ServerResponse, path: ReadonlyMap<string, string>) => Promise<void>;

const NOTHING: Groups = Object.freeze({});
const NO_PARAMETERS = { path: NOTHING, query: NOTHING, headers: NOTHING, cookies: NOTHING };

export function createChain(
  { authenticate, validate, checkReply }: Enforcement,
  readRequest: RequestReader,
  handler: UntypedHandler,
): Chain {
  return async function serve(req, res, path) {
    const query = toQuery(String(req.url));
    const identity = await authenticate({ headers: req.headers, queryText: query });
    const { message, value, tokens, contentType } = await readRequest(req, res, { path, query, headers: req.headers });
    validate(message, value);
    const request = toHandlerInput(message.shape, value, tokens) as object;
    const reply = await handler({ ...NO_PARAMETERS, ...request, identity, contentType }, toReply);
    writeReply(res, reply.status, checkReply(reply));
  };
}

function toReply(status: number, body?: unknown, headers = NOTHING): UntypedReply {
  return { status, body, headers };
}
