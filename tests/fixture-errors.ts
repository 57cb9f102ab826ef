import { errors } from '../generated/contract';

// The contracts of tests/fixtures/ were written for these. The contract of the project may have others, which do not
// count in a test that loads a fixture.
export const FIXTURE_ERRORS: Readonly<Record<string, readonly [number: number, status: number, meaning: string]>> = {
  MALFORMED_REQUEST: [
    40000,
    400,
    'The message is not well-formed HTTP, or its Host, Expect or Transfer-Encoding cannot be served.',
  ],
  HEADERS_TOO_LARGE: [40001, 400, 'The request line and headers are larger than the server reads.'],
  REQUEST_TIMEOUT: [40002, 400, 'The request did not arrive in time.'],
  BODY_REQUIRED: [40003, 400, 'The operation needs a request body and none was sent.'],
  BODY_TOO_LARGE: [40004, 400, 'The request body is larger than the server accepts.'],
  UNSUPPORTED_MEDIA_TYPE: [
    40005,
    400,
    'The Content-Type is not one that the operation lists, or its charset is not utf-8.',
  ],
  UNSUPPORTED_CONTENT_ENCODING: [40006, 400, 'The request body is compressed or encoded; only identity is accepted.'],
  INVALID_UTF8: [40007, 400, 'The request body is not valid UTF-8.'],
  MALFORMED_JSON: [40008, 400, 'The request body is not well-formed JSON.'],
  INVALID_BODY: [40009, 400, 'The request body does not fit the schema of the operation.'],
  INVALID_PARAMETER: [40010, 400, 'A query parameter is not one that the operation lists.'],
  CREDENTIALS_MISSING: [40100, 401, 'The request carries no credentials that the operation accepts.'],
  CREDENTIALS_INVALID: [40101, 401, 'The credentials are malformed or not accepted.'],
  UNKNOWN_PATH: [40400, 404, 'No operation of the contract has this path.'],
  METHOD_NOT_ALLOWED: [40500, 405, 'The path has no operation with this method; Allow lists those that it has.'],
  INTERNAL_ERROR: [50000, 500, 'The server failed; nothing is known to be wrong with the request.'],
  SERVICE_UNAVAILABLE: [
    50300,
    503,
    'The server cannot serve the request now; try again after the time in Retry-After.',
  ],
};

for (const [name, row] of Object.entries(errors)) {
  const [number, status, meaning] = FIXTURE_ERRORS[name] ?? [];
  if (number !== undefined) Object.assign(row, { number, status, meaning });
}
