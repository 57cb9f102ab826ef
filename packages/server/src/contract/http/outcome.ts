// What is reported of a request.
import type { Refusal } from '../refusal/refusal';

/** The result of one request. Only the method, which the parser knows, and the id, whose form is checked, come from the client. */
export interface Outcome {
  /** Also in the reply, as X-Request-Id. */
  readonly id?: string | undefined;
  /** Undefined when the message was not well-formed enough to have one. */
  readonly method?: string | undefined;
  /** Of the operation, as the contract has it, or of a file of the documentation; undefined for any other one. */
  readonly path?: string | undefined;
  /** The operationId; undefined when the contract has no such operation. */
  readonly operation?: string | undefined;
  readonly status: number;
  readonly refusal?: Refusal | undefined;
  readonly milliseconds?: number;
  /** The client went away before it had the whole reply. */
  readonly isAborted?: boolean;
}

/** Called once for every request, after the reply. */
export type Report = (outcome: Outcome) => void;
