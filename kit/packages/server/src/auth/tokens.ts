import { hash, randomBytes } from 'node:crypto';
import type { Identity } from './authenticate';
import { readFileSync, stat, statSync, type BigIntStats } from 'node:fs';

/** The log for operators. No part of a token is logged. */
export interface AuthLog {
  info(message: string): void;
  warn(message: string): void;
}

/** A token, perhaps with its owner's name. Several tokens may have the same name, such as an old one and its successor. */
export type ListedToken = string | { readonly name?: string | undefined; readonly token: string };

/**
 * Creates a verifier that returns the owner of a listed token, and undefined for any other token. If a token has no name, its
 * owner's subject is the start of its SHA-256, which distinguishes tokens without disclosing them.
 *
 * @param scopes the scopes of every token, none by default
 * @example const verifiers = { bearerAuth: createTokenVerifier(['a-token-of-16-or-more'], ['pets:read']) };
 */
export function createTokenVerifier(
  tokens: readonly ListedToken[],
  scopes?: readonly string[],
): (token: string) => Identity | undefined {
  // Tokens are found by a digest with a random key. A client cannot compute it, so the time of the search reveals nothing.
  // HMAC would cost four times as much, and would protect only digests that are published.
  const key = randomBytes(32).toString('base64');
  const toDigest = (token: string): string => hash('sha256', key + token, 'base64');
  const owners = new Map<string, Identity>();
  for (const entry of tokens) {
    const { token, name = hash('sha256', token).slice(0, 8) } = typeof entry === 'string' ? { token: entry } : entry;
    owners.set(toDigest(token), { subject: name, scopes });
  }
  return (token) => owners.get(toDigest(token));
}

export interface TokensFile {
  readonly path: string;
  readonly tokens: readonly ListedToken[];
  /** @throws Error with a message that does not quote any token */
  readonly parse: (text: string) => readonly ListedToken[];
  readonly stats: BigIntStats;
}

const CHECK_INTERVAL_MS = 2_000;

/**
 * Rereads the file after it was rewritten or replaced, or when a link to it points elsewhere.
 *
 * If the file becomes unusable, the previous tokens stay valid, so that a mistake does not lock clients out. A file that is there
 * at the start, or was replaced, counts as complete. A file that is written in place counts as complete if it ends with a newline;
 * otherwise the start of a token could be accepted as a token.
 */
export function watchTokens(
  { path, parse, stats: statsAtStart }: TokensFile,
  replaceTokens: (tokens: readonly ListedToken[]) => unknown,
  log: AuthLog,
) {
  let previousStats: BigIntStats | undefined = statsAtStart;
  let hasChanged = false;
  let wasReplaced = true;
  let loggedError: string | undefined;

  // Unless asked, reads a changed file only once it stays the same between two checks, since writing may take a while.
  function check(isAsked: boolean, stats: BigIntStats | undefined): void {
    const isUnchanged = stats?.ino === previousStats?.ino && stats?.ctimeNs === previousStats?.ctimeNs;
    if (!isUnchanged) wasReplaced = previousStats !== undefined && stats?.ino !== previousStats.ino;
    if (isAsked) loggedError = undefined;
    if (isAsked || (isUnchanged && hasChanged)) read(wasReplaced, stats);
    hasChanged = !isUnchanged;
    previousStats = stats;
  }

  function read(isComplete: boolean, checked?: BigIntStats): void {
    try {
      const { text, stats } = readPlainFile(path);
      // The file has changed since the check, so the next check reads it.
      if (checked && stats.ctimeNs !== checked.ctimeNs) return;
      if (!isComplete && !/(^|\n)$/.test(text)) {
        throw new Error('does not end with a newline, so it may be incomplete');
      }
      const tokens = parse(text);
      replaceTokens(tokens);
      log.info(`API_TOKENS_FILE was read again; tokens in use: ${String(tokens.length)}`);
      loggedError = undefined;
      warnIfExposed(stats);
    } catch (error) {
      const { message } = error as Error;
      if (loggedError !== message) log.warn(`API_TOKENS_FILE ${message}; the tokens that were read before stay valid`);
      loggedError = message;
    }
  }

  function warnIfExposed({ mode }: BigIntStats): void {
    const isExposed = (mode & WRITABLE_BY_ALL_USERS) !== 0n;
    if (isExposed) log.warn('every user of this machine can change API_TOKENS_FILE: run chmod o-w on it');
  }

  function look(isAsked: boolean): void {
    stat(path, { bigint: true }, (error, stats) => {
      check(isAsked, error ? undefined : stats);
    });
  }

  const timer = setInterval(look, CHECK_INTERVAL_MS, false).unref();
  warnIfExposed(statsAtStart);
  return {
    readNow: look.bind(undefined, true),
    close: clearInterval.bind(undefined, timer),
  };
}

const WRITABLE_BY_ALL_USERS = 0o002n;

/** Reads only a regular file, since a pipe would wait for a writer. @throws Error whose message continues a setting's name */
export function readPlainFile(path: string): { readonly text: string; readonly stats: BigIntStats } {
  try {
    const stats = statSync(path, { bigint: true });
    if (stats.isFile()) return { text: readFileSync(path, 'utf8'), stats };
  } catch (error) {
    // Leaves out the path, which may be a token that was set by mistake.
    throw new Error(`cannot be read: ${(error as Error).message.replace(/, \w+ '.*/s, '')}`);
  }
  throw new Error('is not a file');
}
