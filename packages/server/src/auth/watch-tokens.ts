// Watches a file of tokens.
import type { AuthLog } from './auth-log';
import { statFile, type FileState } from './plain-file';

/** The tokens of a file, and its state at that time. */
export interface TokensInFile extends FileState {
  readonly tokens: readonly string[];
  /** Whether every user of the machine may write to it. */
  readonly isExposed: boolean;
}

/** A file of tokens at the start, and the function that reads it again. */
export interface TokensFile extends TokensInFile {
  readonly path: string;
  /**
   * Throws an Error with the reason, and without tokens.
   *
   * @param isWhole whether the last line is complete even without a newline
   */
  readonly read: (path: string, isWhole: boolean) => TokensInFile;
}

/** A file of tokens, and its observers. */
export interface WatchedTokens extends TokensFile {
  /** Called with the tokens each time the file has changed. */
  readonly accept: (tokens: readonly string[]) => void;
  readonly log: AuthLog;
}

const INTERVAL = 250;

/**
 * Reads a file of tokens again when it has changed: rewritten, replaced, or behind a link that points elsewhere now.
 *
 * An unusable file changes nothing, so that a mistake in it takes no client's access away. A file that was replaced
 * atomically is complete. A file that is written in place is complete when it ends with a newline; without this rule,
 * a part of a token would be accepted.
 *
 * @returns a function that stops the watch
 */
export function watchTokens({ path, read, accept, log, ...start }: WatchedTokens): () => void {
  let seen: FileState = start;
  let known: string | undefined = start.version;
  let isWhole = true;
  let problem: string | undefined;

  async function look(): Promise<void> {
    const before = seen;
    seen = await statFile(path);
    // Wait until two looks see the same version: a file that is being written changes between looks.
    if (seen.version !== before.version) isWhole = before.file !== undefined && before.file !== seen.file;
    else if (seen.version !== known) readAgain();
  }

  function readAgain(): void {
    try {
      const { tokens, version, isExposed } = read(path, isWhole);
      // The file changed during the read: the next look sees it.
      if (version !== seen.version) return;
      accept(tokens);
      known = version;
      if (problem !== undefined) log.info('API_TOKENS_FILE is in use again');
      problem = undefined;
      warnWhere(isExposed);
    } catch (error) {
      // Try again at each look, but log the error once.
      known = undefined;
      const { message } = error as Error;
      if (problem !== seen.version + message) log.warn(`API_TOKENS_FILE ${message}; its last tokens still count`);
      problem = seen.version + message;
    }
  }

  function warnWhere(isExposed: boolean): void {
    if (isExposed) log.warn('API_TOKENS_FILE can be changed by every user of this machine; chmod o-w ends that');
  }

  let timer: NodeJS.Timeout;
  let isClosed = false;
  function wait(): void {
    if (!isClosed) timer = setTimeout(() => void look().then(wait), INTERVAL).unref();
  }
  warnWhere(start.isExposed);
  wait();
  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}
