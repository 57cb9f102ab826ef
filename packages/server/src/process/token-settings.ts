// Parses the settings of tokens.
import { isLoopback } from '../auth/loopback';
import { readPlainFile } from '../auth/plain-file';
import type { TokensFile, TokensInFile } from '../auth/watch-tokens';
import { isBearerToken } from '../contract/text/bearer';

// As in settings.ts: each function parses one kind of setting, and throws an Error that continues the setting's name.

// Long enough not to be guessed: 16 random letters and digits have 95 bits, and a client can try 10,000 tokens per second.
const MIN_LENGTH = 16;

/**
 * Parses a setting with tokens, or keys of an apiKey scheme, separated by commas.
 *
 * @throws Error when there is none, or one is too short or malformed
 * @example readSettings: (setting) => ({ keys: setting('PARTNER_KEYS', [], parseTokens) })
 */
export function parseTokens(text: string): string[] {
  return toTokens(text.split(','));
}

export function parseTokensFile(path: string): TokensFile {
  return { path, ...readTokensFile(path, true), read: readTokensFile };
}

/** @returns the text unchanged: issuers are compared character for character */
export function parseIssuer(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && !/[\s?#@]/.test(text);
  const isPrivate = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!isPlain || !isPrivate) {
    throw new Error(
      'must be a URL such as https://login.example/, with no query and no password; http for loopback only',
    );
  }
  return text;
}

/** @returns scopes, or `*` for all of the contract */
export function parseScopes(text: string): readonly string[] | '*' {
  return text.trim() === '*' ? '*' : text.split(/[\s,]+/).filter((scope) => scope !== '');
}

export function parseAudience(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new Error('must be a name or a URL without spaces, such as https://api.example');
  return text;
}

function readTokensFile(path: string, isWhole: boolean): TokensInFile {
  const { text, ...file } = readPlainFile(path);
  if (!isWhole && !/(^|\n)$/.test(text)) throw new Error('has no newline at its end, so that it may be half written');
  return { ...file, tokens: toTokens(text.split('\n')) };
}

// The messages never show the value, which may be a token.
function toTokens(lines: readonly string[]): string[] {
  const tokens = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (tokens.length === 0) throw new Error('is set but holds no token');
  for (const [index, token] of tokens.entries()) assertToken(token, `has a token (number ${String(index + 1)})`);
  return tokens;
}

function assertToken(token: string, problem: string): void {
  if (!isBearerToken(token)) throw new Error(`${problem} with a character that no bearer token has`);
  if (token.length < MIN_LENGTH) throw new Error(`${problem} of fewer than ${String(MIN_LENGTH)} characters`);
}
