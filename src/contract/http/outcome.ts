import type { Refusal } from '../refusal/refusal';

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
