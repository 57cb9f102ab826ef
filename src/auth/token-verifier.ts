import { timingSafeEqual } from 'node:crypto';

const LENGTH_BYTES = 4;

/**
 * Whether a token is one of those that are accepted.
 *
 * Every comparison takes the same time and all of them are made, so that the time tells neither how much of a token
 * was right nor which one it was.
 */
export function createTokenVerifier(tokens: readonly string[]): (token: string) => boolean {
  const room = Math.max(0, ...tokens.map(({ length }) => length));
  const accepted = tokens.map((token) => toComparable(token, room));
  return function verifyToken(token) {
    const given = toComparable(token, room);
    return accepted.reduce((isKnown, candidate) => timingSafeEqual(candidate, given) || isKnown, false);
  };
}

// All are of one size, as timingSafeEqual needs them. The length tells a token from a longer one that is cut off.
function toComparable(token: string, room: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES + room);
  bytes.writeUInt32LE(token.length);
  bytes.write(token, LENGTH_BYTES);
  return bytes;
}
