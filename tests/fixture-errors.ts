import { errors } from '../generated/contract';

// The contracts of tests/fixtures/ were written for these. The contract of the project may have others, which are then
// not the ones of a test that loads a fixture.
const FIXTURE_ERRORS: Readonly<Record<string, { readonly number: number; readonly status: number }>> = {
  MALFORMED_REQUEST: { number: 40000, status: 400 },
  HEADERS_TOO_LARGE: { number: 40001, status: 400 },
  REQUEST_TIMEOUT: { number: 40002, status: 400 },
  BODY_REQUIRED: { number: 40003, status: 400 },
  BODY_TOO_LARGE: { number: 40004, status: 400 },
  UNSUPPORTED_MEDIA_TYPE: { number: 40005, status: 400 },
  UNSUPPORTED_CONTENT_ENCODING: { number: 40006, status: 400 },
  INVALID_UTF8: { number: 40007, status: 400 },
  MALFORMED_JSON: { number: 40008, status: 400 },
  INVALID_BODY: { number: 40009, status: 400 },
  INVALID_PARAMETER: { number: 40010, status: 400 },
  CREDENTIALS_MISSING: { number: 40100, status: 401 },
  CREDENTIALS_INVALID: { number: 40101, status: 401 },
  UNKNOWN_PATH: { number: 40400, status: 404 },
  METHOD_NOT_ALLOWED: { number: 40500, status: 405 },
  INTERNAL_ERROR: { number: 50000, status: 500 },
  SERVICE_UNAVAILABLE: { number: 50300, status: 503 },
};

for (const [name, row] of Object.entries(errors)) Object.assign(row, FIXTURE_ERRORS[name]);
