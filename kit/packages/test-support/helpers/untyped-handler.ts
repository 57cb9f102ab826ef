import type { Groups } from '@contract-kit/contract';
import type { HandlerContext, Identity } from '@contract-kit/server';

/** What a handler is given, whatever its contract. */
export interface UntypedRequest extends HandlerContext {
  readonly path: Groups;
  readonly query: Groups;
  readonly headers: Groups;
  readonly cookies: Groups;
  readonly querystring: unknown;
  readonly body: unknown;
  readonly contentType: string | undefined;
  readonly identity: Readonly<Record<string, Identity>>;
}

/** What a handler's reply function makes, whatever its contract. */
interface UntypedReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Groups;
}

/** A handler for any contract: a test makes the contract from a text, so there are no types of it. */
export type UntypedHandler = (
  request: UntypedRequest,
  reply: (status: number, body?: unknown, headers?: Groups) => UntypedReply,
) => UntypedReply | Promise<UntypedReply>;
