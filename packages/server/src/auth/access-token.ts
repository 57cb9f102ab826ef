// Distinguishes access tokens from other JWTs of an issuer.
import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { hasDuplicateNames } from './duplicate-names';

// The header `typ` of an access token, in lower case; many issuers write only `JWT`.
const ACCEPTED_TYPES = new Set(['at+jwt', 'application/at+jwt', 'jwt']);
// Claims of tokens that are meant for a client: ID tokens (OpenID Connect Core 1.0) and logout tokens.
const CLIENT_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

/**
 * The type `at+jwt` marks access tokens (RFC 9068). Without it, claims of ID tokens exclude a token: these have the same
 * issuer and key, and the same audience if the client is the service itself.
 */
export function isAccessToken(token: string, header: JWTHeaderParameters, payload: JWTPayload): boolean {
  const type = header.typ?.toLowerCase() ?? 'jwt';
  if (!ACCEPTED_TYPES.has(type)) return false;
  // RFC 7797 section 7: a JWT must not have b64. RFC 7800: cnf needs a proof of possession, which bearers do not send.
  if ('b64' in header || 'cnf' in payload) return false;
  // Keycloak marks an ID token by the claim `typ`.
  const isForClient = payload['typ'] === 'ID' || CLIENT_CLAIMS.some((claim) => claim in payload);
  if (type === 'jwt' && isForClient) return false;
  // With two claims of the same name, another parser may use the other one.
  const headerAndPayload = token.split('.', 2).map((part) => Buffer.from(part, 'base64url').toString());
  return !headerAndPayload.some(hasDuplicateNames);
}
