// Generated from openapi.yaml by `npm run generate`. Do not edit.
/** The path of the contract in the project. */
export declare const file: string;
/** The SHA-256 of the contract's text with the line ends of Unix, in hexadecimal. */
export declare const sha256: string;
/** The error catalogue, `x-error-catalogue` in the contract. */
export declare const errors: {
  readonly MALFORMED_REQUEST: { readonly number: 40000; readonly status: 400; readonly meaning: string };
  readonly HEADERS_TOO_LARGE: { readonly number: 40001; readonly status: 400; readonly meaning: string };
  readonly REQUEST_TIMEOUT: { readonly number: 40002; readonly status: 400; readonly meaning: string };
  readonly BODY_REQUIRED: { readonly number: 40003; readonly status: 400; readonly meaning: string };
  readonly BODY_TOO_LARGE: { readonly number: 40004; readonly status: 400; readonly meaning: string };
  readonly UNSUPPORTED_MEDIA_TYPE: { readonly number: 40005; readonly status: 400; readonly meaning: string };
  readonly UNSUPPORTED_CONTENT_ENCODING: { readonly number: 40006; readonly status: 400; readonly meaning: string };
  readonly INVALID_UTF8: { readonly number: 40007; readonly status: 400; readonly meaning: string };
  readonly MALFORMED_JSON: { readonly number: 40008; readonly status: 400; readonly meaning: string };
  readonly INVALID_BODY: { readonly number: 40009; readonly status: 400; readonly meaning: string };
  readonly INVALID_PARAMETER: { readonly number: 40010; readonly status: 400; readonly meaning: string };
  readonly CREDENTIALS_MISSING: { readonly number: 40100; readonly status: 401; readonly meaning: string };
  readonly CREDENTIALS_INVALID: { readonly number: 40101; readonly status: 401; readonly meaning: string };
  readonly UNKNOWN_PATH: { readonly number: 40400; readonly status: 404; readonly meaning: string };
  readonly METHOD_NOT_ALLOWED: { readonly number: 40500; readonly status: 405; readonly meaning: string };
  readonly INTERNAL_ERROR: { readonly number: 50000; readonly status: 500; readonly meaning: string };
  readonly SERVICE_UNAVAILABLE: { readonly number: 50300; readonly status: 503; readonly meaning: string };
};
