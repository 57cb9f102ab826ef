import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Whether a token is one of those that are accepted.
 *
 * All digests are compared, each in constant time, so that the time tells neither how much of a token was right nor
 * which one it was.
 */
export function createTokenVerifier(tokens: readonly string[]): (token: string) => boolean {
  const accepted = tokens.map(digest);
  return function verifyToken(token) {
    const given = digest(token);
    return accepted.reduce((isKnown, candidate) => timingSafeEqual(candidate, given) || isKnown, false);
  };
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
