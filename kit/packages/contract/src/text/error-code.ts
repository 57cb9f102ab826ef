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
