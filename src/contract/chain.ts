import type { Request, Response } from 'express';
import { announcesBody, negotiateBody, NOTHING, readBody } from './body';
import type { Enforcement } from './enforcement';
import { Refusal } from './errors';
import { readExactBody } from './exact-body';
import { parseExactJson } from './exact-json';
import type { Operation } from './operation';
import { writeReply } from './write';

/** A handler as the chain calls it; its types were checked where the table of handlers was made. */
export type UntypedHandler = (
  request: { readonly body: unknown },
  reply: (status: number, body?: unknown) => UntypedReply,
) => UntypedReply | Promise<UntypedReply>;

interface UntypedReply {
  readonly status: number;
  readonly body: unknown;
}

/** The way of a request through one operation. Rejected with why it was not served. */
export type Chain = (req: Request, res: Response) => Promise<void>;

/** @param bodyLimit the largest request body, in bytes */
export function createChain(
  { body: declared }: Operation,
  { authenticate, validate, checkReply }: Enforcement,
  { handler, bodyLimit }: { handler: UntypedHandler; bodyLimit: number },
): Chain {
  return async function serve(req, res) {
    await authenticate(req);
    const hasBody = declared !== undefined && announcesBody(req);
    if (hasBody) negotiateBody(req, bodyLimit);
    const bytes = hasBody ? await readBody(req, res, bodyLimit) : NOTHING;
    const json = bytes.length > 0 ? parseExactJson(bytes) : undefined;
    if (!json) {
      if (declared?.required === true) throw new Refusal('BODY_REQUIRED');
      // Of no meaning without a body, and the validator keeps something for each one that it sees.
      delete req.headers['content-type'];
    }
    req.body = json?.value;
    await validate(req);
    const body = declared && json ? readExactBody(declared.shape, req.body, json.tokens) : undefined;
    const reply = await handler({ body }, toReply);
    writeReply(res, reply.status, checkReply(reply.status, reply.body));
  };
}

function toReply(status: number, body?: unknown): UntypedReply {
  return { status, body };
}
