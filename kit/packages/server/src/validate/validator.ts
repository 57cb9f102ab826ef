// The interface between the kit and express-openapi-validator (EOV), which makes the decisions.
import type * as ExpressOpenapiValidator from 'express-openapi-validator';
import { ExpectedError, type HeaderFields, type MessageSchema } from '@contract-kit/contract';
import type { RequestFault } from '../errors/refusal';

/**
 * What an application imports from EOV.
 *
 * @example import * as OpenApiValidator from 'express-openapi-validator';
 */
export type OpenApiValidator = Pick<typeof ExpressOpenapiValidator, 'middleware'>;

/** Asks EOV for its decisions. In the values of messages, an int64 beyond 2^53 is a bigint. */
export interface Validator {
  /** `security` lists the alternatives, each with its scopes by scheme. The created function rejects if EOV fails. */
  readonly createIsSecure: (
    security: readonly Readonly<Record<string, readonly string[]>>[],
  ) => (request: SecuredRequest) => Promise<boolean>;
  /** Returns the name of a message's compiled schema, which equal messages share. */
  readonly nameOf: (message: MessageSchema) => string;
  /** Validates a request, and fills in defaults. @throws RangeError if the request is nested too deeply for the stack */
  readonly judgeRequest: JudgeMessage;
  /** Adds further faults of an invalid request to the first ones, up to ten in total. Called only for small requests. */
  readonly findFaults: (
    message: MessageSchema,
    value: unknown,
    first: readonly RequestFault[],
  ) => readonly RequestFault[];
  readonly judgeReply: JudgeMessage;
  /** Validates an item. For most items, this runs only EOV's compiled schema, and not its other steps. */
  readonly judgeRequestItem: JudgeMessage;
  readonly judgeReplyItem: JudgeMessage;
}

/** A request, as EOV's security middleware reads it. */
export interface SecuredRequest {
  readonly headers: HeaderFields;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** Whether a scheme's credentials are valid and have the scopes. EOV calls it for each alternative with the scheme. */
  readonly isValid: (scheme: string, scopes: readonly string[]) => boolean | Promise<boolean>;
}

/** Returns the first fault (for anyOf and oneOf, the first one in each alternative), or none if the message is valid. */
export type JudgeMessage = (message: MessageSchema, value: unknown) => readonly RequestFault[];

export interface Messages {
  readonly requests: readonly MessageSchema[];
  readonly replies: readonly MessageSchema[];
}

/** Thrown if a message does not match the contract. */
export class ValidationError extends ExpectedError {
  readonly faults: readonly RequestFault[];

  constructor(faults: readonly RequestFault[]) {
    super(faults.map(({ message }) => message).join(', '));
    this.faults = faults;
  }
}
