import { decodeJwt, jwtVerify } from 'jose';
import { isAccessToken } from './access-token';
import type { AuthLog } from './auth-log';
import { createIssuerKeys, KeysUnavailable, type KeyTiming } from './issuer-keys';
import type { TokenOwner } from './token-owner';

export interface JwtSettings {
  /** The issuer's identifier, as `iss` has it; its OpenID configuration is below it. */
  readonly issuer: string;
  /** What `aud` has to be, or to hold. */
  readonly audience: string;
}

export interface JwtVerifier {
  /** Whose token it is; undefined when it does not count. Rejects with KeysUnavailable where it cannot be told. */
  readonly verify: (token: string) => Promise<TokenOwner | undefined>;
  /** Why it cannot be told whether a token counts, for readiness; undefined when it can. */
  readonly problem: () => string | undefined;
  /** Ends what goes on in the background. */
  readonly close: () => void;
}

const MAX_LENGTH = 8 * 1024;
// RFC 7515 section 7.1, with nothing that is encrypted, unsigned or padded.
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
// Asymmetric alone: with a symmetric one, whoever knows the public key could sign.
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
        // What needs no key comes first, so that a token of another issuer is no reason to ask ours for keys.
        const { iss, iat } = decodeJwt(token);
        const age = ageOf(iat);
        if (iss !== issuer || age < -CLOCK_TOLERANCE) return undefined;
        const { protectedHeader, payload } = await jwtVerify(token, findFor((age - CLOCK_TOLERANCE) * 1000), rules);
        return isAccessToken(token, protectedHeader, payload) ? { subject: payload.sub } : undefined;
      } catch (error) {
        if (error instanceof KeysUnavailable) throw error;
        // Whatever else it is, it comes of the token: of the keys only those that work are kept.
        return undefined;
      }
    },
    problem,
    close,
  };
}

/** In seconds; a token that does not say when it was issued may be new. */
function ageOf(issuedAt: unknown): number {
  return typeof issuedAt === 'number' ? Date.now() / 1000 - issuedAt : 0;
}
