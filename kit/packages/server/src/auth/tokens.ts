import { hash, randomBytes } from 'node:crypto';
import type { Identity } from './authenticate';
import { readFileSync, stat, statSync, type BigIntStats } from 'node:fs';

/** The log for operators. Tokens are never logged. */
export interface AuthLog {
  info(message: string): void;
  warn(message: string): void;
}

/** A token, optionally with its owner's name. Several tokens can have the same name, such as an old token and its successor. */
export type ListedToken = string | { readonly name?: string | undefined; readonly token: string };

/**
 * Creates a verifier that returns the owner of a listed token, and undefined for any other token. If a token has no name, the
 * subject is the start of its SHA-256 hash, which distinguishes tokens without disclosing them.
 *
 * @param scopes the scopes of every token, by default none
 * @example const verifiers = { bearerAuth: createTokenVerifier(['a-token-of-16-or-more'], ['pets:read']) };
 */
export function createTokenVerifier(
  tokens: readonly ListedToken[],
  scopes?: readonly string[],
): (token: string) => Identity | undefined {
  // Tokens are looked up by a keyed digest. Clients cannot compute it, so the duration of the lookup reveals nothing. An HMAC
  // would cost four times as much, and is only needed for digests that are published.
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
 * Rereads the file after it was rewritten or replaced, or after a link to it was changed.
 *
 * If the file becomes unusable, the previous tokens stay valid, so that a mistake does not lock clients out. A file that was
 * replaced, or that is there at the start, is taken to be complete. A file that is written in place must end with a newline.
 * Otherwise an unfinished token could be accepted.
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

  // Writing can take a while, so unless `isAsked`, a changed file is read only once a check finds it unchanged.
  function check(isAsked: boolean, stats: BigIntStats | undefined): void {
    const isUnchanged = stats?.ino === previousStats?.ino && stats?.ctimeNs === previousStats?.ctimeNs;
    const isReplaced = previousStats !== undefined && stats?.ino !== previousStats.ino;
    // Only writing changes `mtime`, unlike chmod and ln.
    if (isReplaced || stats?.mtimeNs !== previousStats?.mtimeNs) wasReplaced = isReplaced;
    if (isAsked) loggedError = undefined;
    if (isAsked || (isUnchanged && hasChanged)) read(wasReplaced, stats);
    hasChanged = !isUnchanged;
    previousStats = stats;
  }

  function read(isComplete: boolean, checked?: BigIntStats): void {
    try {
      const { text, stats } = readPlainFile(path);
      // If the file has changed since the check, the next check reads it.
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

/** Reads a regular file; a pipe would wait for a writer. @throws Error with a message to append to a setting's name */
export function readPlainFile(path: string): { readonly text: string; readonly stats: BigIntStats } {
  try {
    const stats = statSync(path, { bigint: true });
    if (stats.isFile()) return { text: readFileSync(path, 'utf8'), stats };
  } catch (error) {
    // The message omits the path, which could be a token that was set by mistake.
    throw new Error(`cannot be read: ${(error as Error).message.replace(/, \w+ '.*/s, '')}`);
  }
  throw new Error('is not a file');
}
