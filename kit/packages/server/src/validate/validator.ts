// The seam between the kit and express-openapi-validator (EOV), which decides.
import type * as ExpressOpenapiValidator from 'express-openapi-validator';
import { ExpectedError, type HeaderFields, type MessageSchema } from '@contract-kit/contract';
import type { RequestFault } from '../errors/refusal';

/**
 * What an application imports of EOV.
 *
 * @example import * as OpenApiValidator from 'express-openapi-validator';
 */
export type OpenApiValidator = Pick<typeof ExpressOpenapiValidator, 'middleware'>;

/** EOV's decisions. In the values of messages, an int64 beyond 2^53 is a bigint. */
export interface Validator {
  /**
   * Creates the function that tells whether the credentials of a request meet an alternative, each of which has the scopes by
   * the name of a scheme. It rejects when EOV fails.
   */
  readonly createIsSecure: (
    security: readonly Readonly<Record<string, readonly string[]>>[],
  ) => (request: SecuredRequest) => Promise<boolean>;
  /** The name of the compiled schema that judges a message: equal messages share it. */
  readonly nameOf: (message: MessageSchema) => string;
  /** Fills in defaults, too. @throws RangeError when the request is nested deeper than the stack */
  readonly judgeRequest: JudgeMessage;
  /** Adds further wrong fields of an invalid request to `found`, at most ten. Called for small requests only. */
  readonly findFaults: (
    message: MessageSchema,
    value: unknown,
    found: readonly RequestFault[],
  ) => readonly RequestFault[];
  readonly judgeReply: JudgeMessage;
  /** The same for each of many items, by the schema that EOV has compiled. */
  readonly judgeRequestItem: JudgeMessage;
  readonly judgeReplyItem: JudgeMessage;
}

/** A request, as EOV's security middleware reads it. */
export interface SecuredRequest {
  readonly headers: HeaderFields;
  /** The API keys in the query, and in cookies, by their names. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** Whether the credentials of a scheme are valid, and have the scopes. EOV asks it for each alternative with the scheme. */
  readonly isValid: (scheme: string, scopes: readonly string[]) => boolean | Promise<boolean>;
}

/** The first wrong field; for anyOf and oneOf, the wrong fields under each alternative. Empty if the message is valid. */
export type JudgeMessage = (message: MessageSchema, value: unknown) => readonly RequestFault[];

/** The messages of an operation. */
export interface Messages {
  readonly requests: readonly MessageSchema[];
  readonly replies: readonly MessageSchema[];
}

/** A message is not valid under the contract. */
export class ValidationError extends ExpectedError {
  readonly faults: readonly RequestFault[];

  constructor(faults: readonly RequestFault[]) {
    super(faults.map(({ message }) => message).join(', '));
    this.faults = faults;
  }
}
