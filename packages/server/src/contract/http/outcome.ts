// What is reported of a request.
import type { Refusal } from '../refusal/refusal';

/** The result of one request. Of it only the method and the id come from the client, and both are checked. */
export interface Outcome {
  /** Also in the reply, as X-Request-Id. */
  readonly id?: string | undefined;
  /** Undefined if the parser could not read it. */
  readonly method?: string | undefined;
  /** The path of the operation in the contract, or of a file of the documentation; undefined for any other. */
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
