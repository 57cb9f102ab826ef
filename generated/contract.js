// Generated from openapi.yaml by `npm run generate`. Do not edit.
'use strict';
exports.file = "openapi.yaml";
exports.sha256 = "8b64373078319aaa48793990fac3e18f2c5f7097692a79f31b5898d09f376147";
exports.errors = {
  MALFORMED_REQUEST: { number: 40000, status: 400, meaning: "The message is not well-formed HTTP, or its Host, Expect or Transfer-Encoding cannot be served." },
  HEADERS_TOO_LARGE: { number: 40001, status: 400, meaning: "The request line and headers are larger than the server reads." },
  REQUEST_TIMEOUT: { number: 40002, status: 400, meaning: "The request did not arrive in time." },
  BODY_REQUIRED: { number: 40003, status: 400, meaning: "The operation needs a request body and none was sent." },
  BODY_TOO_LARGE: { number: 40004, status: 400, meaning: "The request body is larger than the server accepts." },
  UNSUPPORTED_MEDIA_TYPE: { number: 40005, status: 400, meaning: "The Content-Type is not one that the operation lists, or its charset is not utf-8." },
  UNSUPPORTED_CONTENT_ENCODING: { number: 40006, status: 400, meaning: "The request body is compressed or encoded; only identity is accepted." },
  INVALID_UTF8: { number: 40007, status: 400, meaning: "The request body is not valid UTF-8." },
  MALFORMED_JSON: { number: 40008, status: 400, meaning: "The request body is not well-formed JSON." },
  INVALID_BODY: { number: 40009, status: 400, meaning: "The request body does not fit the schema of the operation." },
  INVALID_PARAMETER: { number: 40010, status: 400, meaning: "A query parameter is not one that the operation lists." },
  CREDENTIALS_MISSING: { number: 40100, status: 401, meaning: "The request carries no credentials that the operation accepts." },
  CREDENTIALS_INVALID: { number: 40101, status: 401, meaning: "The credentials are malformed or not accepted." },
  UNKNOWN_PATH: { number: 40400, status: 404, meaning: "No operation of the contract has this path." },
  METHOD_NOT_ALLOWED: { number: 40500, status: 405, meaning: "The path has no operation with this method; Allow lists those that it has." },
  INTERNAL_ERROR: { number: 50000, status: 500, meaning: "The server failed; nothing is known to be wrong with the request." },
  SERVICE_UNAVAILABLE: { number: 50300, status: 503, meaning: "The server cannot serve the request now; try again after the time in Retry-After." },
};
