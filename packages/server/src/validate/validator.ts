// The seam between the kit and what judges its messages.
import type { NormalizedDocument } from '../contract/schema/document';
import type { Message } from '../contract/operation/message';
import type { RequestFault } from '../errors/refusal';

/** Judges whole requests and replies. Their values have numbers as doubles: the kit compares the digits of int64s itself. */
export interface Validator {
  /** Fills in defaults, too. @throws Violation when the request is not valid, and RangeError when that takes too long to tell */
  readonly assertRequest: AssertMessage;
  /** Adds further wrong fields of an invalid request to `found`, at most ten. Called for small requests only. */
  readonly findFaults: (message: Message, value: unknown, found: readonly RequestFault[]) => readonly RequestFault[];
  /** @throws Violation when the reply is not valid */
  readonly assertReply: AssertMessage;
}

export type AssertMessage = (message: Message, value: unknown) => void;

/** The messages of an operation. */
export interface Messages {
  readonly requests: readonly Message[];
  readonly replies: readonly Message[];
}

/**
 * Compiles the schemas of all messages of a contract. `serveContract` proves of each that wrong messages do not pass.
 *
 * @throws Error when one cannot be compiled
 * @example const validator: CreateValidator = expressOpenapiValidator;
 */
export type CreateValidator = (document: NormalizedDocument, operations: readonly Messages[]) => Validator;

/** A message is not valid under the contract. */
export class Violation extends Error {
  /** The first wrong field; for anyOf and oneOf, the wrong fields under each alternative. */
  readonly faults: readonly RequestFault[];

  constructor(faults: readonly RequestFault[]) {
    super(faults.map(({ message }) => message).join(', '));
    this.faults = faults;
  }
}

/** As the overflow of the stack, it is about a message that is nested too deeply for its schema. */
export class TooManySteps extends RangeError {}
