// The verifier of JWTs.
import { decodeJwt, jwtVerify, type JWTPayload } from 'jose';
import { isAccessToken } from './access-token';
import type { AuthLog } from './auth-log';
import { createIssuerKeys, KeysUnavailable } from './issuer-keys';
import type { KeyTiming } from './key-timing';
import type { TokenOwner } from './token-owner';

export interface JwtSettings {
  /** The issuer's identifier: the value of `iss`, and the base URL of its OpenID configuration. */
  readonly issuer: string;
  /** `aud` must equal or contain it. */
  readonly audience: string;
}

export interface JwtVerifier {
  /** Returns the owner of a token; undefined if it is refused. Rejects with KeysUnavailable if it cannot decide. */
  readonly verify: (token: string) => Promise<TokenOwner | undefined>;
  /** For readiness: the reason why tokens cannot be verified now; undefined if they can. */
  readonly findProblem: () => string | undefined;
  readonly close: () => void;
}

const MAX_TOKEN_LENGTH = 8 * 1024;
// RFC 7515 section 7.1, without encrypted, unsigned or padded tokens.
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
// Asymmetric only: with a symmetric algorithm, the public key could be used to sign.
const ASYMMETRIC_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_TOLERANCE_SECONDS = 5;

/** Verifies access tokens of an OpenID provider that are JWTs. `timing` of the fetches of its keys is for tests. */
export function createJwtVerifier(
  { issuer, audience }: JwtSettings,
  log: AuthLog,
  timing?: Partial<KeyTiming>,
): JwtVerifier {
  const { createKeyFinder, findProblem, close } = createIssuerKeys(issuer, log, timing);
  const rules = {
    issuer,
    audience,
    algorithms: ASYMMETRIC_ALGORITHMS,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
  };
  return {
    async verify(token) {
      if (token.length > MAX_TOKEN_LENGTH || !COMPACT_JWS.test(token)) return undefined;
      try {
        // Check the issuer before looking for a key, so that foreign tokens cause no fetch of keys.
        const { iss, iat } = decodeJwt(token);
        const ageInSeconds = ageOf(iat);
        const isFromFuture = ageInSeconds < -CLOCK_TOLERANCE_SECONDS;
        if (iss !== issuer || isFromFuture) return undefined;
        // The least possible age: the clock of the issuer may be behind.
        const findKey = createKeyFinder((ageInSeconds - CLOCK_TOLERANCE_SECONDS) * 1000);
        const { protectedHeader, payload } = await jwtVerify(token, findKey, rules);
        return isAccessToken(token, protectedHeader, payload) ? toOwner(payload) : undefined;
      } catch (error) {
        if (error instanceof KeysUnavailable) throw error;
        // Any other error is the token's fault: all fetched keys are usable.
        return undefined;
      }
    },
    findProblem,
    close,
  };
}

// RFC 9068 section 2.2.3 has the scopes in `scope`, separated by spaces; some issuers have them in `scp`, or as an array.
function toOwner({ sub, scope, scp }: JWTPayload): TokenOwner {
  return { subject: sub, scopes: toScopes(typeof scope === 'string' ? scope : scp) };
}

function toScopes(claim: unknown): string[] {
  const scopes = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? (claim as unknown[]) : [];
  return scopes.filter((scope) => typeof scope === 'string' && scope !== '') as string[];
}

/** The age of a token in seconds; 0 without `iat`, as it may be new. */
function ageOf(issuedAt: unknown): number {
  return typeof issuedAt === 'number' ? Date.now() / 1000 - issuedAt : 0;
}
