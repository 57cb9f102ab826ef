import type { AuthLog } from './auth-log';
import { createJwtVerifier, type JwtSettings } from './jwt-verifier';
import type { KeyTiming } from './issuer-keys';
import { createTokenVerifier } from './token-verifier';
import type { TokenOwner } from './token-owner';
import { watchTokens, type TokensFile } from './watch-tokens';

/** Where the tokens that count come from. */
export interface TokenSources {
  readonly tokens: readonly string[];
  readonly tokensFile?: TokensFile | undefined;
  readonly jwt?: JwtSettings | undefined;
}

export interface BearerVerifier {
  /** Whose token it is; undefined when it does not count. A rejection means that it could not be told. */
  readonly verify: (token: string) => TokenOwner | undefined | Promise<TokenOwner | undefined>;
  /** Rejects, for readiness, with why it cannot be told now whether a JWT counts. */
  readonly check: () => Promise<void>;
  /** Ends what goes on in the background. */
  readonly close: () => void;
}

/** One verifier of all the sources. A token that is listed counts whatever becomes of the issuer of JWTs. */
export function createBearerVerifier(
  { tokens, tokensFile, jwt }: TokenSources,
  log: AuthLog,
  timing?: Partial<KeyTiming>,
): BearerVerifier {
  let findListed = createTokenVerifier([...tokens, ...(tokensFile?.tokens ?? [])]);
  const unwatch =
    tokensFile &&
    watchTokens({
      ...tokensFile,
      accept: (current) => {
        findListed = createTokenVerifier([...tokens, ...current]);
      },
      log,
    });
  const issued = jwt && createJwtVerifier(jwt, log, timing);
  return {
    verify: (token) => findListed(token) ?? issued?.verify(token),
    check: () => {
      const problem = issued?.problem();
      return problem === undefined ? Promise.resolve() : Promise.reject(new Error(`no keys of JWT_ISSUER: ${problem}`));
    },
    close: () => {
      unwatch?.();
      issued?.close();
    },
  };
}
