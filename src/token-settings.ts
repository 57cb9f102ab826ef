import { readFileSync } from 'node:fs';
import type { TokensFile } from './auth/bearer-verifier';
import { isLoopback } from './auth/loopback';
import { isBearerToken } from './contract/bearer';

// As in settings.ts: each function reads one kind of setting, and throws an Error whose message follows its name.

export function parseTokens(text: string): string[] {
  return toTokens(text.split(','));
}

export function parseTokensFile(path: string): TokensFile {
  return { path, tokens: readTokensFile(path), read: readTokensFile };
}

/** @returns the text as it is: issuers are compared character for character */
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

export function parseAudience(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new Error('must be a name or a URL without spaces, such as https://api.example');
  return text;
}

function readTokensFile(path: string): string[] {
  return toTokens(readText(path).split('\n'));
}

// The messages never show what was set: it may be a token.
function toTokens(lines: readonly string[]): string[] {
  const tokens = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (tokens.length === 0) throw new Error('is set but holds no token');
  const wrong = tokens.findIndex((token) => !isBearerToken(token));
  if (wrong !== -1)
    throw new Error(`has a token (number ${String(wrong + 1)}) with a character that no bearer token has`);
  return tokens;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot be read: ${(error as Error).message}`);
  }
}
