// RFC 6750 section 2.1: a scheme without case, one or more spaces, and a token68.
const CREDENTIALS = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** The token of an Authorization header, or undefined where it is not exactly one well-formed bearer token. */
export function parseBearer(authorization: string): string | undefined {
  return CREDENTIALS.exec(authorization)?.[1];
}
