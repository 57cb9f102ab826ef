// Makes the verifier that the settings ask for.
import type { AuthLog } from '../auth/auth-log';
import { createBearerVerifier, type BearerVerifier } from '../auth/bearer-verifier';
import { listScopes } from '../contract/operation/list-scopes';
import type { Operation } from '../contract/operation/operation';
import type { Config } from './config';

/**
 * Listed tokens have the scopes of API_TOKENS_SCOPES, by default none. `ownToken`, which the service made for its own machine
 * because the settings have no source of tokens, has all.
 */
export function createConfiguredVerifier(
  { identity, tokenScopes }: Pick<Config<unknown>, 'identity' | 'tokenScopes'>,
  operations: readonly Operation[],
  ownToken: string | undefined,
  log: AuthLog,
): BearerVerifier {
  const allScopes = listScopes(operations);
  if (ownToken !== undefined) return createBearerVerifier({ tokens: [ownToken], scopes: allScopes }, log);
  const hasListedTokens = identity.tokens.length > 0 || identity.tokensFile !== undefined;
  if (hasListedTokens && allScopes.length > 0 && tokenScopes.length === 0) {
    log.warn('listed tokens have no scopes, so that operations with scopes refuse them: set API_TOKENS_SCOPES');
  }
  return createBearerVerifier({ ...identity, scopes: tokenScopes === '*' ? allScopes : tokenScopes }, log);
}
