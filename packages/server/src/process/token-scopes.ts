import type { TokenSources } from '../auth/bearer-verifier';
import { listScopes, type Operation } from '../contract/operation/operation';
import type { Config } from './config';
import type { Log } from './log';

/**
 * The sources of accepted tokens, with the scopes of listed ones: those of the settings, none unless they are set. The
 * token that the service made for its own machine has all.
 *
 * @param ownToken undefined if there are other sources
 */
export function toTokenSources(
  { identity, tokenScopes }: Pick<Config<unknown>, 'identity' | 'tokenScopes'>,
  operations: readonly Operation[],
  ownToken: string | undefined,
  log: Pick<Log, 'warn'>,
): TokenSources {
  const all = listScopes(operations);
  if (ownToken !== undefined) return { tokens: [ownToken], scopes: all };
  const isListed = identity.tokens.length > 0 || identity.tokensFile !== undefined;
  if (isListed && all.length > 0 && tokenScopes.length === 0) {
    log.warn('listed tokens have no scopes, so that operations with scopes refuse them: set API_TOKENS_SCOPES');
  }
  return { ...identity, scopes: tokenScopes === '*' ? all : tokenScopes };
}
