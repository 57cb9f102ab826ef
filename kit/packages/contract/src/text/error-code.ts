/**
 * The `code` of each error that the kit throws; docs/errors.md explains them.
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
 * An error that is part of normal serving. It has no stack trace, because capturing one would take most of its time.
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
