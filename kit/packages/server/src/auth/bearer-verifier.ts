import { createTokenVerifier, watchTokens, type AuthLog, type ListedToken, type TokensFile } from './tokens';
import type { Verifier } from './authenticate';
import { createJwtVerifier, type JwtSettings } from './jwt-verifier';

export interface TokenSources {
  readonly tokens: readonly ListedToken[];
  readonly tokensFile?: TokensFile | undefined;
  /** The scopes of every listed token, none by default. JWTs contain their own. */
  readonly scopes?: readonly string[] | undefined;
  readonly jwt?: JwtSettings | undefined;
}

export interface BearerVerifier {
  readonly verify: (token: string) => ReturnType<Verifier>;
  /** Checks readiness: rejects with the reason why JWTs cannot be verified now. */
  readonly check: () => Promise<void>;
  /** Whether the latest fetch of the issuer's keys failed. Keys from an earlier one may still be valid. */
  readonly isIssuerFailing: () => boolean;
  /** Reads the token file now, or logs that there is none. */
  readonly readTokensFile: () => void;
  readonly close: () => void;
}

/**
 * Creates one verifier for all sources of tokens: the list in the settings, a file that it watches, and a JWT issuer. It accepts
 * listed tokens even while the issuer is unreachable.
 *
 * @example const bearer = createBearerVerifier({ tokens: ['a-token-of-16-or-more'] }, log); const verifiers = { bearerAuth: bearer.verify };
 */
export function createBearerVerifier({ tokens, tokensFile, scopes, jwt }: TokenSources, log: AuthLog): BearerVerifier {
  const createListed = (inFile: readonly ListedToken[]) => createTokenVerifier([...tokens, ...inFile], scopes);
  let verifyListed = createListed(tokensFile?.tokens ?? []);
  const watch = tokensFile && watchTokens(tokensFile, (inFile) => (verifyListed = createListed(inFile)), log);
  const jwtVerifier = jwt && createJwtVerifier(jwt, log);
  return {
    verify: (token) => verifyListed(token) ?? jwtVerifier?.verify(token),
    check: async () => {
      await jwtVerifier?.check();
    },
    isIssuerFailing: () => jwtVerifier?.isFailing() ?? false,
    readTokensFile: watch?.readNow ?? log.info.bind(log, 'there is no file of tokens to read again'),
    close: () => {
      watch?.close();
      jwtVerifier?.close();
    },
  };
}
