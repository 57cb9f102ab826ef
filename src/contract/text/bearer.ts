// RFC 6750 section 2.1: a token68, after a scheme without case and one or more spaces.
const TOKEN = '[A-Za-z0-9._~+/-]+=*';
const BEARER_TOKEN = new RegExp(`^${TOKEN}$`);
const CREDENTIALS = new RegExp(`^Bearer +(${TOKEN})$`, 'i');

/** Whether a text is a token that a client can send. */
export function isBearerToken(text: string): boolean {
  return BEARER_TOKEN.test(text);
}

/** The token of an Authorization header; undefined where it is not exactly one well-formed bearer token. */
export function parseBearer(authorization: string): string | undefined {
  return CREDENTIALS.exec(authorization)?.[1];
}
