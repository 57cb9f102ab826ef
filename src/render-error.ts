import type { RefusalKind, Statuses } from '@contract-kit/server';
import type { RenderError } from '../generated/handlers';

/** The number of each refusal, as openapi.yaml lists them. A kind without a number does not compile. */
const NUMBERS: Readonly<Record<RefusalKind, number>> = {
  MALFORMED_REQUEST: 40000,
  HEADERS_TOO_LARGE: 40001,
  REQUEST_TIMEOUT: 40002,
  BODY_REQUIRED: 40003,
  BODY_TOO_LARGE: 40004,
  UNSUPPORTED_MEDIA_TYPE: 40005,
  UNSUPPORTED_CONTENT_ENCODING: 40006,
  INVALID_UTF8: 40007,
  MALFORMED_JSON: 40008,
  INVALID_BODY: 40009,
  INVALID_PARAMETER: 40010,
  CREDENTIALS_MISSING: 40100,
  CREDENTIALS_INVALID: 40101,
  UNKNOWN_PATH: 40400,
  METHOD_NOT_ALLOWED: 40500,
  INTERNAL_ERROR: 50000,
  SERVICE_UNAVAILABLE: 50300,
  NOT_BUILT: 50300,
  // Nothing is refused with these yet: add them to openapi.yaml when you add scopes, or middleware that refuses.
  FORBIDDEN: 40300,
  TOO_MANY_REQUESTS: 42900,
  REFUSED_BY_SERVICE: 40011,
};

/** Makes the body of each error. */
export const renderError: RenderError = ({ kind, message }) => ({ error: NUMBERS[kind], message });

/** Whatever a client gets wrong in a request is 400 here; HTTP's own statuses for these are 431 and 408. */
export const statuses: Statuses = { HEADERS_TOO_LARGE: 400, REQUEST_TIMEOUT: 400 };
