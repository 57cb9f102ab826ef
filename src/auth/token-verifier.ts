import { timingSafeEqual } from 'node:crypto';
import type { TokenOwner } from './token-owner';

const SOMEBODY: TokenOwner = {};

/**
 * Whose token one is, if it is one of those that are accepted: a listed token does not say.
 *
 * All are compared, each in constant time, so that the time tells neither how much of a token was right nor which one
 * it was.
 */
export function createTokenVerifier(tokens: readonly string[]): (token: string) => TokenOwner | undefined {
  const accepted = tokens.map((token) => Buffer.from(token));
  return function verifyToken(token) {
    const given = Buffer.from(token);
    const isAccepted = accepted.reduce((isKnown, candidate) => isEqual(candidate, given) || isKnown, false);
    return isAccepted ? SOMEBODY : undefined;
  };
}

// Buffers of two lengths cannot be compared in constant time; then something else takes that time.
function isEqual(candidate: Buffer, given: Buffer): boolean {
  const hasLength = candidate.length === given.length;
  return timingSafeEqual(candidate, hasLength ? given : candidate) && hasLength;
}
