import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { hasDuplicateNames } from './duplicate-names';

const TYPES = new Set(['at+jwt', 'application/at+jwt', 'jwt']);
// Claims of tokens that are for a client, not for us: ID tokens (OpenID Connect Core 1.0), logout tokens.
const CLIENT_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

/**
 * Whether a JWT, whose signature and claims are right, is an access token that its bearer may use.
 *
 * One of type `at+jwt` says so (RFC 9068). Of others it is told by what is in ID tokens alone, which have the same issuer
 * and key, and where the client is the service itself the same audience too.
 */
export function isAccessToken(token: string, header: JWTHeaderParameters, payload: JWTPayload): boolean {
  const type = header.typ?.toLowerCase() ?? 'jwt';
  if (!TYPES.has(type)) return false;
  // RFC 7797 section 7: b64 is not for JWTs. RFC 7800: with cnf it counts only with the proof of a key, and none was asked for.
  if ('b64' in header || 'cnf' in payload) return false;
  if (type === 'jwt' && (payload['typ'] === 'ID' || CLIENT_CLAIMS.some((claim) => claim in payload))) return false;
  // Of two claims with one name, another reader may take the other one.
  return !token.split('.', 2).some((part) => hasDuplicateNames(Buffer.from(part, 'base64url').toString()));
}
