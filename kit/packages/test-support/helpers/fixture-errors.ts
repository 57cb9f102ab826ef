import { createRenderer, type RendererOptions, type RefusalKind } from '@contract-kit/server';

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
  REFUSED_BY_SERVICE: 40011,
  CREDENTIALS_MISSING: 40100,
  CREDENTIALS_INVALID: 40101,
  FORBIDDEN: 40300,
  UNKNOWN_PATH: 40400,
  METHOD_NOT_ALLOWED: 40500,
  TOO_MANY_REQUESTS: 42900,
  INTERNAL_ERROR: 50000,
  NOT_BUILT: 50100,
  SERVICE_UNAVAILABLE: 50300,
};

/** What makes the errors of the contracts in packages/test-support/fixtures/: a number and a message, or text, and 400 for whatever the client got wrong. */
export const FIXTURE_ERRORS: Omit<RendererOptions, 'contract'> = {
  renderError: ({ kind, message, contentType }) =>
    contentType.includes('json') ? { error: NUMBERS[kind], message } : message,
  statuses: {
    ...{ HEADERS_TOO_LARGE: 400, REQUEST_TIMEOUT: 400, BODY_TOO_LARGE: 400 },
    ...{ UNSUPPORTED_MEDIA_TYPE: 400, UNSUPPORTED_CONTENT_ENCODING: 400 },
  },
};

/** What the kit sends of refusals under one of these contracts. */
export const renderFixture = createRenderer({ contract: { operations: [] }, ...FIXTURE_ERRORS });
