import { Refusal } from './errors';

/** What became of one request; nothing in it is the client's own words but the method, which the parser
 * knows, and the id, whose form is checked. */
export interface Outcome {
  /** Also in the reply, as X-Request-Id. */
  readonly id?: string | undefined;
  /** Undefined when the message was not well-formed enough to have one. */
  readonly method?: string | undefined;
  /** The operationId; undefined when the contract has no such operation. */
  readonly operation?: string | undefined;
  readonly status: number;
  readonly refusal?: Refusal | undefined;
  readonly milliseconds?: number;
  /** The client went away before it had the whole reply. */
  readonly isAborted?: boolean;
}

/** Is told of every request, after the reply. */
export type Report = (outcome: Outcome) => void;

/**
 * Why a request is not served, from whatever was thrown on its way.
 *
 * @param isUnavailable whether an error of a handler says that the request may be tried again later
 */
export function toRefusal(cause: unknown, isUnavailable?: (cause: unknown) => boolean): Refusal {
  if (cause instanceof Refusal) return cause;
  return new Refusal(isUnavailable?.(cause) === true ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR', undefined, { cause });
}
