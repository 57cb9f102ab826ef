// The verifier of JWTs.
import { decodeJwt, jwtVerify, type JWTPayload } from 'jose';
import { isAccessToken } from './access-token';
import type { AuthLog } from './auth-log';
import { createIssuerKeys, KeysUnavailable, type KeyTiming } from './issuer-keys';
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
  readonly problem: () => string | undefined;
  /** Stops the background work. */
  readonly close: () => void;
}

const MAX_LENGTH = 8 * 1024;
// RFC 7515 section 7.1, without encrypted, unsigned or padded tokens.
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
// Asymmetric only: with a symmetric algorithm, the public key could be used to sign.
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
// In seconds.
const CLOCK_TOLERANCE = 5;

/** Verifies access tokens of an OpenID provider that are JWTs. */
export function createJwtVerifier(
  { issuer, audience }: JwtSettings,
  log: AuthLog,
  timing?: Partial<KeyTiming>,
): JwtVerifier {
  const { findFor, problem, close } = createIssuerKeys(issuer, log, timing);
  const rules = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE,
  };
  return {
    async verify(token) {
      if (token.length > MAX_LENGTH || !COMPACT.test(token)) return undefined;
      try {
        // Check the issuer before looking for a key, so that foreign tokens cause no fetch of keys.
        const { iss, iat } = decodeJwt(token);
        const age = ageOf(iat);
        if (iss !== issuer || age < -CLOCK_TOLERANCE) return undefined;
        const { protectedHeader, payload } = await jwtVerify(token, findFor((age - CLOCK_TOLERANCE) * 1000), rules);
        return isAccessToken(token, protectedHeader, payload) ? toOwner(payload) : undefined;
      } catch (error) {
        if (error instanceof KeysUnavailable) throw error;
        // Any other error is the token's fault: all fetched keys are usable.
        return undefined;
      }
    },
    problem,
    close,
  };
}

// RFC 9068 section 2.2.3 has `scope`, a list with spaces; some issuers have `scp`, a list of either form.
function toOwner({ sub, scope, scp = '' }: JWTPayload): TokenOwner {
  const list = typeof scope === 'string' ? scope : scp;
  const scopes = typeof list === 'string' ? list.split(' ') : Array.isArray(list) ? (list as unknown[]) : [];
  return { subject: sub, scopes: scopes.filter((one) => typeof one === 'string' && one !== '') as string[] };
}

/** The age of a token in seconds; 0 without `iat`, as it may be new. */
function ageOf(issuedAt: unknown): number {
  return typeof issuedAt === 'number' ? Date.now() / 1000 - issuedAt : 0;
}
