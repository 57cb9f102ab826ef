/**
 * The codes of the errors that the packages of the kit throw, as `error.code`; docs/errors.md says what each means.
 *
 * @example if ((error as { code?: ErrorCode }).code === 'STORE_UNAVAILABLE') await retry();
 */
export type ErrorCode =
  | 'INVALID_CONTRACT'
  | 'INVALID_JSON'
  | 'INVALID_REPLY'
  | 'INVALID_SETTINGS'
  | 'INVALID_STATEMENT'
  | 'INVALID_USAGE'
  | 'KEYS_UNAVAILABLE'
  | 'PROJECT_NOT_CREATED'
  | 'REQUEST_REFUSED'
  | 'STORE_UNAVAILABLE'
  | 'UNSAFE_PATH';

/**
 * An error that is part of serving. It has no stack, which nobody reads and which takes longer to capture than the rest to do.
 *
 * @example class NotFound extends ExpectedError {}
 */
export class ExpectedError extends Error {
  constructor(message?: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
