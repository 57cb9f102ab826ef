import type { AuthLog } from './auth-log';
import { statFile, type FileState } from './plain-file';

/** The tokens in a file as it was when it was read. */
export interface TokensInFile extends FileState {
  readonly tokens: readonly string[];
  /** Whether every user of the machine may change it. */
  readonly isExposed: boolean;
}

/** A file of tokens as it is at the start, and how to read it again. */
export interface TokensFile extends TokensInFile {
  readonly path: string;
  /**
   * Throws an Error that says what is wrong with it, and shows none of the tokens.
   *
   * @param isWhole whether its last line is all there even without a newline
   */
  readonly read: (path: string, isWhole: boolean) => TokensInFile;
}

/** What is watched. */
export interface WatchedTokens extends TokensFile {
  /** Takes the tokens each time that the file has changed. */
  readonly accept: (tokens: readonly string[]) => void;
  readonly log: AuthLog;
}

const INTERVAL = 250;

/**
 * Reads a file of tokens again when it has changed: rewritten, renamed over, or behind a link that points elsewhere now.
 *
 * What cannot be used changes nothing, so that a mistake in the file takes no client's access away. A file that took
 * the place of another one in one step is whole; one that is written where it stands is whole when it ends with a
 * newline, for a piece of a token must not count.
 *
 * @returns ends it
 */
export function watchTokens({ path, read, accept, log, ...start }: WatchedTokens): () => void {
  let seen: FileState = start;
  let known: string | undefined = start.version;
  let isWhole = true;
  let problem: string | undefined;

  async function look(): Promise<void> {
    const before = seen;
    seen = await statFile(path);
    // What is half written has changed when it is looked at again.
    if (seen.version !== before.version) isWhole = before.file !== undefined && before.file !== seen.file;
    else if (seen.version !== known) readAgain();
  }

  function readAgain(): void {
    try {
      const { tokens, version, isExposed } = read(path, isWhole);
      // It has changed since: the next look sees it.
      if (version !== seen.version) return;
      accept(tokens);
      known = version;
      if (problem !== undefined) log.info('API_TOKENS_FILE is in use again');
      problem = undefined;
      warnWhere(isExposed);
    } catch (error) {
      // It is tried again each time, and told once.
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
