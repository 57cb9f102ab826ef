// The token of a service that has no token source.
import { randomBytes } from 'node:crypto';

// As this module makes them: one that could be guessed is none.
const MADE = /^[\w-]{43}$/;

/**
 * The token of a service without a token source: a new one, or that of a session of `contract-kit dev`, so that all servers
 * of the session accept the same.
 *
 * Only a parent that talks to the process gives one: what is left in an environment counts for nothing. It gives no more
 * access than `API_TOKENS`, which such a parent could set, and only on loopback.
 *
 * @param given by the environment
 * @param hasParent whether a parent talks to the process
 */
export function createOwnToken(given = '', hasParent = process.send !== undefined): string {
  return hasParent && MADE.test(given) ? given : randomBytes(32).toString('base64url');
}
