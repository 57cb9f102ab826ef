// The verifier of listed tokens.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The owner of a token. */
export interface TokenOwner {
  /** The `sub` of a JWT (RFC 7519 section 4.1.2), unique for its issuer. */
  readonly subject?: string | undefined;
  /** The scopes that it was given, by its issuer or by the settings. */
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Creates a verifier that accepts listed tokens: it returns the owner of one, and undefined for any other token. The owner
 * has no subject, since a list has no names.
 *
 * Tokens are found by digest, so that a refusal takes the same time for any number of tokens. The digest input begins
 * with a random key: a client cannot compute the digest of its token, so the time of the search reveals nothing. HMAC
 * would cost four times as much, and protects only digests that are published.
 *
 * @param scopes of each token; none by default
 * @example const verifiers = { bearerAuth: createTokenVerifier(['a-token-of-16-or-more'], ['pets:read']) };
 */
export function createTokenVerifier(
  tokens: readonly string[],
  scopes?: readonly string[],
): (token: string) => TokenOwner | undefined {
  const owner: TokenOwner = scopes ? { scopes } : {};
  const key = randomBytes(32).toString('base64');
  const toDigest = (token: string): string => hash('sha256', key + token, 'base64');
  const accepted = new Set(tokens.map(toDigest));
  // Compares, in constant time, with the latest accepted token: most requests have it, and a digest costs more.
  let equalsLatest: (token: string) => boolean = () => false;
  return function verifyToken(token) {
    if (equalsLatest(token)) return owner;
    if (!accepted.has(toDigest(token))) return undefined;
    equalsLatest = createComparison(token);
    return owner;
  };
}

// Creates a function that tells whether a token equals the latest accepted one. It takes the same time for all tokens of
// one length, so that the time does not reveal how many characters are right; the length is no secret.
function createComparison(latest: string): (token: string) => boolean {
  // In UTF-16, strings of one length have the same number of bytes. The buffer of the given token is used again and again.
  const expected = Buffer.from(latest, 'utf16le');
  const given = Buffer.alloc(expected.length);
  return (token) => {
    if (token.length !== latest.length) return false;
    given.write(token, 'utf16le');
    return timingSafeEqual(given, expected);
  };
}
