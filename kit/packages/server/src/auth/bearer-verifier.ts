import { createTokenVerifier, watchTokens, type AuthLog, type ListedToken, type TokensFile } from './tokens';
import type { Verifier } from './authenticate';
import { createJwtVerifier, type JwtSettings } from './jwt-verifier';

export interface TokenSources {
  readonly tokens: readonly ListedToken[];
  readonly tokensFile?: TokensFile | undefined;
  /** The scopes of every listed token, by default none. JWTs contain their own scopes. */
  readonly scopes?: readonly string[] | undefined;
  readonly jwt?: JwtSettings | undefined;
}

export interface BearerVerifier {
  readonly verify: (token: string) => ReturnType<Verifier>;
  /** Rejects with the reason if JWTs cannot be verified now. */
  readonly check: () => Promise<void>;
  /** Whether the latest fetch of the issuer's keys failed. Keys that were fetched earlier can still be valid. */
  readonly isIssuerFailing: () => boolean;
  /** Rereads the token file, or logs that there is none. */
  readonly readTokensFile: () => void;
  readonly close: () => void;
}

/**
 * Creates one verifier for all sources of tokens: the list in the settings, a file that it watches, and a JWT issuer. Listed
 * tokens are accepted even if the issuer is unreachable.
 *
 * @example const bearer = createBearerVerifier({ tokens: ['a-token-of-16-or-more'] }, log); const verifiers = { bearerAuth: bearer.verify };
 */
export function createBearerVerifier({ tokens, tokensFile, scopes, jwt }: TokenSources, log: AuthLog): BearerVerifier {
  const toVerifier = (fileTokens: readonly ListedToken[]) => createTokenVerifier([...tokens, ...fileTokens], scopes);
  let verifyListed = toVerifier(tokensFile?.tokens ?? []);
  const watch = tokensFile && watchTokens(tokensFile, (fileTokens) => (verifyListed = toVerifier(fileTokens)), log);
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
