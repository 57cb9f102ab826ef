import type { JWTHeaderParameters, JWTPayload } from 'jose';
import type { Identity } from './authenticate';
import { Refusal } from '../errors/refusal';
import type { AuthLog } from './tokens';
import { createIssuerKeys, KeysUnavailable } from './issuer-keys';

export interface JwtSettings {
  /** The required value of `iss`, which is also the base URL of the issuer's OpenID configuration. */
  readonly issuer: string;
  /** The value that `aud` must equal or contain. */
  readonly audience: string;
}

const MAX_TOKEN_LENGTH = 8 * 1024;
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** The accepted algorithms, all of them asymmetric. With a symmetric one, anyone could sign tokens with the public key. */
export const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_TOLERANCE_MS = 5_000;

/** Creates a verifier for the JWT access tokens of an OpenID provider. */
export function createJwtVerifier({ issuer, audience }: JwtSettings, log: AuthLog) {
  const { josePromise, findKey, ...keys } = createIssuerKeys(issuer, log);
  const rules = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_MS / 1000,
  };
  return {
    /** Rejects with a Refusal that names the broken rule, or with KeysUnavailable if the token cannot be checked. */
    verify: async (token: string): Promise<Identity> => {
      if (!isCompactJws(token)) throw toTokenRefusal('form');
      const { decodeJwt, jwtVerify } = await josePromise;
      try {
        // The issuer is checked first, so that a foreign token does not make the server fetch keys.
        const { iss, iat } = decodeJwt(token);
        const isFromFuture = typeof iat === 'number' && iat * 1000 > Date.now() + CLOCK_TOLERANCE_MS;
        if (iss !== issuer) throw toTokenRefusal('iss');
        if (isFromFuture) throw toTokenRefusal('iat');
        const { protectedHeader, payload } = await jwtVerify(token, findKey, rules);
        if (!isAccessToken(protectedHeader, payload)) throw toTokenRefusal('typ');
        return toIdentity(payload);
      } catch (error) {
        if (error instanceof KeysUnavailable || error instanceof Refusal) throw error;
        throw toTokenRefusal(findBrokenRule(error));
      }
    },
    ...keys,
  };
}

/** Whether a token has the compact form (RFC 7515 section 7.1), and is not encrypted, unsigned, padded or overlong. */
export function isCompactJws(token: string): boolean {
  return token.length <= MAX_TOKEN_LENGTH && COMPACT_JWS.test(token);
}

// Clients do not see the rule, so that they do not learn what to forge.
function toTokenRefusal(rule: string): Refusal {
  return new Refusal('CREDENTIALS_INVALID', undefined, { rule });
}

const RULES_BY_CODE: Readonly<Record<string, string>> = {
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
  ERR_JWKS_NO_MATCHING_KEY: 'key',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'key',
  // Thrown if the issuer published a private key.
  ERR_JWKS_INVALID: 'key',
  ERR_JOSE_ALG_NOT_ALLOWED: 'alg',
};

// Names the invalid claim or part of the token. Unlike an error message, the name never quotes the token.
function findBrokenRule(error: unknown): string {
  const { code, claim } = error as { readonly code?: unknown; readonly claim?: string };
  // Node can reject the key, for example if an RSA key has fewer than 2048 bits.
  if (!String(code).startsWith('ERR_J')) return 'key';
  return claim ?? RULES_BY_CODE[String(code)] ?? 'form';
}

// `scope` has the scopes, separated by spaces (RFC 9068 section 2.2.3). Some issuers use `scp` or an array instead.
function toIdentity(claims: JWTPayload): Identity {
  const { sub, scope, scp } = claims;
  const claim = typeof scope === 'string' ? scope : scp;
  const scopes: unknown[] = typeof claim === 'string' ? claim.split(' ') : [claim].flat();
  return { subject: sub, claims, scopes: scopes.filter((name) => typeof name === 'string' && name !== '') as string[] };
}

// The accepted `typ` headers of access tokens, in lowercase. Many issuers use only `JWT`.
const ACCEPTED_TYPES = new Set(['at+jwt', 'application/at+jwt', 'jwt']);
// Claims in ID tokens (OpenID Connect Core 1.0) and logout tokens, which are meant for a client.
const CLIENT_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

// The type `at+jwt` marks access tokens (RFC 9068). Without it, a token with claims of an ID token is rejected. An ID token
// has the same issuer and key as an access token, and even the same audience if the client is the service itself.
function isAccessToken(header: JWTHeaderParameters, payload: JWTPayload): boolean {
  const type = header.typ?.toLowerCase() ?? 'jwt';
  if (!ACCEPTED_TYPES.has(type)) return false;
  // `cnf` requires proof of possession (RFC 7800), which a bearer token does not provide.
  if ('cnf' in payload) return false;
  // In Keycloak's ID tokens, the claim `typ` is `ID`.
  const isForClient = payload['typ'] === 'ID' || CLIENT_CLAIMS.some((claim) => claim in payload);
  return type !== 'jwt' || !isForClient;
}
