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

/** EOV's decisions. In the value of a message, an int64 beyond 2^53 is a bigint. */
export interface Validator {
  /** `security` lists the alternatives, each with its scopes by scheme. The created function rejects if EOV fails. */
  readonly createIsSecure: (
    security: readonly Readonly<Record<string, readonly string[]>>[],
  ) => (request: SecuredRequest) => Promise<boolean>;
  /** Returns the name of a message's compiled schema, which equal messages share. */
  readonly nameOf: (message: MessageSchema) => string;
  /** Also fills in defaults. @throws RangeError if the request is nested too deeply for the stack */
  readonly judgeRequest: JudgeMessage;
  /** Adds an invalid request's further faults to the first ones, up to ten. Called only for small requests. */
  readonly findFaults: (
    message: MessageSchema,
    value: unknown,
    first: readonly RequestFault[],
  ) => readonly RequestFault[];
  readonly judgeReply: JudgeMessage;
  /** For items, most of which are validated by EOV's compiled schema alone, without its other steps. */
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

/** Returns the first invalid field, or that of each alternative for anyOf and oneOf; nothing if the message is valid. */
export type JudgeMessage = (message: MessageSchema, value: unknown) => readonly RequestFault[];

/** The messages of an operation. */
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
