import { isBearerToken, listScopes, type Operation } from '@contract-kit/contract';
import { isLoopback } from '../auth/loopback';
import { readPlainFile, type ListedToken, type TokensFile, type AuthLog } from '../auth/tokens';
import { createBearerVerifier, type BearerVerifier, type TokenSources } from '../auth/bearer-verifier';
import { randomBytes } from 'node:crypto';

// As in config.ts, each function parses one kind of setting. The message of its Error is appended to the setting's name.

// The minimum length of a token. 16 random letters and digits cannot be guessed, even at 10,000 attempts per second.
const MIN_LENGTH = 16;

/**
 * Parses a list of tokens, or keys of an apiKey scheme, separated by commas. Each can have a name, as in `name:token`.
 *
 * @throws Error if the list is empty, or if a token is too short or malformed
 * @example readSettings: (setting) => ({ keys: setting('PARTNER_KEYS', [], parseTokens) })
 */
export function parseTokens(text: string): ListedToken[] {
  return toTokens(text.split(','));
}

/** Reads a file with one token, or `name:token`, per line. */
export function parseTokensFile(path: string): TokensFile {
  const parse = (text: string): ListedToken[] => toTokens(text.split('\n'));
  const { text, stats } = readPlainFile(path);
  return { path, parse, stats, tokens: parse(text) };
}

/** @returns the text unchanged, because issuers are compared character by character */
export function parseIssuer(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && !/[\s?#@]/.test(text);
  // Without TLS, somebody could replace the issuer's keys in transit, unless the issuer is on this machine.
  const isTrusted = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!isPlain || !isTrusted) {
    throw new Error(
      'must be a URL such as https://login.example/, without a query or a password; http is for loopback only',
    );
  }
  return text;
}

/** @returns the scopes, or `*` for all scopes in the contract */
export function parseScopes(text: string): readonly string[] | '*' {
  return text.trim() === '*' ? '*' : text.split(/\s+/).filter((scope) => scope !== '');
}

export function parseAudience(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new Error('must be a name or a URL without spaces, such as https://api.example');
  return text;
}

// Checks tokens, and removes white space and empty lines. Error messages never contain a value, because it could be a token.
function toTokens(lines: readonly string[]): ListedToken[] {
  const entries = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (entries.length === 0) throw new Error('is set, but has no token');
  return entries.map((entry, index) => {
    // A bearer token has no colon, so the colon ends the name.
    const [, name, token = ''] = /^(?:([^:]*): *)?(.*)$/.exec(entry) ?? [];
    const which = `has a token (number ${String(index + 1)})`;
    if (!isBearerToken(token)) throw new Error(`${which} with a character that bearer tokens cannot have`);
    if (token.length < MIN_LENGTH) throw new Error(`${which} of fewer than ${String(MIN_LENGTH)} characters`);
    if (name === undefined) return token;
    if (!/^[\w.@-]{1,64}$/.test(name))
      throw new Error(`${which} whose name is not 1 to 64 letters, digits or any of . - _ @`);
    return { name, token };
  });
}

export interface ConfiguredTokens {
  readonly identity: Omit<TokenSources, 'scopes'>;
  /** `*` for all scopes in the contract. */
  readonly tokenScopes: readonly string[] | '*';
}

/**
 * Creates a verifier for the configured tokens. Listed tokens have the scopes in API_TOKENS_SCOPES, by default none. `ownToken`,
 * which the service generates if no source of tokens is set, has all scopes.
 */
export function createConfiguredVerifier(
  { identity, tokenScopes }: ConfiguredTokens,
  operations: readonly Operation[],
  ownToken: string | undefined,
  log: AuthLog,
): BearerVerifier {
  const allScopes = listScopes(operations);
  if (ownToken !== undefined) return createBearerVerifier({ tokens: [ownToken], scopes: allScopes }, log);
  const hasListedTokens = identity.tokens.length > 0 || identity.tokensFile !== undefined;
  if (hasListedTokens && allScopes.length > 0 && tokenScopes.length === 0) {
    log.warn('the listed tokens have no scopes, so operations with scopes refuse them: set API_TOKENS_SCOPES');
  }
  return createBearerVerifier({ ...identity, scopes: tokenScopes === '*' ? allScopes : tokenScopes }, log);
}

/**
 * Returns the token of a `contract-kit dev` session, so that all its servers accept the same one, or a new token. A given token is
 * used only if a parent process has a channel to this process, and not if it was left in the environment. Such a parent gains no
 * access, because it could also set `API_TOKENS`.
 */
export function createOwnToken(sessionToken = '', hasParent = process.send !== undefined): string {
  return hasParent && sessionToken !== '' ? sessionToken : randomBytes(32).toString('base64url');
}
