// Reads bearer tokens from a header.

// RFC 6750 section 2.1: the case-insensitive scheme, one or more spaces, and a token68.
const B64TOKEN = '[A-Za-z0-9._~+/-]+=*';
const BEARER_TOKEN = new RegExp(`^${B64TOKEN}$`);
const CREDENTIALS = new RegExp(`^Bearer +(${B64TOKEN})$`, 'i');

export function isBearerToken(text: string): boolean {
  return BEARER_TOKEN.test(text);
}

/** The token of an Authorization header; undefined unless it is exactly one well-formed bearer token. */
export function parseBearer(authorization: string): string | undefined {
  return CREDENTIALS.exec(authorization)?.[1];
}
