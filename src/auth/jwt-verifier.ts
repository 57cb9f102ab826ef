import { jwtVerify } from 'jose';
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
const CLOCK_TOLERANCE = 5;

/** Verifies access tokens of an OpenID provider that are JWTs. */
export function createJwtVerifier(
  { issuer, audience }: JwtSettings,
  log: AuthLog,
  timing?: Partial<KeyTiming>,
): JwtVerifier {
  const { find, problem, close } = createIssuerKeys(issuer, log, timing);
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
        const { protectedHeader, payload } = await jwtVerify(token, find, rules);
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
