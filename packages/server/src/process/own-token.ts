// The token of a service that has no token source.
import { randomBytes } from 'node:crypto';

// The form of the tokens that this module makes; any other might be guessed.
const MADE_HERE = /^[\w-]{43}$/;

/**
 * A new token, or that of a session of `contract-kit dev`, so that all servers of the session accept the same. The given one
 * counts only if a parent process has a channel to this one, not if it is left in some environment. Such a parent could set
 * `API_TOKENS` as well, so that it gets no more access.
 */
export function createOwnToken(given = '', hasParent = process.send !== undefined): string {
  return hasParent && MADE_HERE.test(given) ? given : randomBytes(32).toString('base64url');
}
