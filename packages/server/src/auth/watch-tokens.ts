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
 * Watches a file of tokens, and reads it again when it is rewritten or replaced, or a link to it points elsewhere.
 *
 * If the file becomes unusable, the last tokens still count, so that a mistake locks no client out. A file that was replaced
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
    // Read only what two looks found unchanged: a file that is being written changes between looks.
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
      warnIfExposed(isExposed);
    } catch (error) {
      // Try again at each look, but log the error once.
      known = undefined;
      const { message } = error as Error;
      if (problem !== seen.version + message) log.warn(`API_TOKENS_FILE ${message}; its last tokens still count`);
      problem = seen.version + message;
    }
  }

  function warnIfExposed(isExposed: boolean): void {
    if (isExposed) log.warn('API_TOKENS_FILE can be changed by every user of this machine; chmod o-w ends that');
  }

  let timer: NodeJS.Timeout;
  let isClosed = false;
  function scheduleLook(): void {
    if (!isClosed) timer = setTimeout(() => void look().then(scheduleLook), INTERVAL).unref();
  }
  warnIfExposed(start.isExposed);
  scheduleLook();
  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}
