import { errors } from '../../generated/contract';

/** The name of an entry of the error catalogue. */
export type ErrorName = keyof typeof errors;

/**
 * Why a request is not served: an entry of the error catalogue.
 *
 * The message goes to the client. What is only for the log goes into `cause`.
 */
export class Refusal extends Error {
  readonly status: number;
  readonly number: number;

  constructor(name: ErrorName, message: string = errors[name].meaning, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
    this.status = errors[name].status;
    this.number = errors[name].number;
  }
}

/** The refusal of a body that is deeper than the stack. A schema that refers to itself is as deep as the client likes. */
export function toDepthRefusal(): Refusal {
  return new Refusal('INVALID_BODY', 'the request body is nested too deeply');
}
