// Watches a file of tokens.
import type { AuthLog } from './auth-log';
import { statFile, type FileState } from './plain-file';

export interface TokensInFile extends FileState {
  readonly tokens: readonly string[];
  /** Whether every user of the machine may write to it. */
  readonly isExposed: boolean;
}

export interface TokensFile extends TokensInFile {
  readonly path: string;
  /** Throws an Error with the reason, and without tokens. `isComplete`: the last line counts even without a newline. */
  readonly read: (path: string, isComplete: boolean) => TokensInFile;
}

export interface WatchedTokens extends TokensFile {
  readonly replaceTokens: (tokens: readonly string[]) => void;
  readonly log: AuthLog;
}

const CHECK_INTERVAL_MS = 250;

/**
 * Reads the file again when it is rewritten or replaced, or a link to it points elsewhere. Returns a function that stops it.
 *
 * If the file becomes unusable, the last tokens still count, so that a mistake locks no client out. A file that was replaced
 * atomically is complete. A file that is written in place is complete when it ends with a newline; without this rule,
 * a part of a token would be accepted.
 */
export function watchTokens({ path, read, replaceTokens, log, ...start }: WatchedTokens): () => void {
  let lastState: FileState = start;
  // The version whose tokens are in use; undefined if the file could not be read since then.
  let versionInUse: string | undefined = start.version;
  // Whether the last line counts even without a newline: at the start, and when the file has been replaced as a whole.
  let isComplete = true;
  // The version and the message of the last error, if there was no success since then.
  let loggedError: string | undefined;

  // Reads the file only if it is the same as at the check before: a file that is being written changes between checks.
  async function checkFile(): Promise<void> {
    const before = lastState;
    lastState = await statFile(path);
    const wasReplaced = before.file !== undefined && before.file !== lastState.file;
    if (lastState.version !== before.version) isComplete = wasReplaced;
    else if (lastState.version !== versionInUse) readAgain();
  }

  function readAgain(): void {
    try {
      const { tokens, version, isExposed } = read(path, isComplete);
      // The file changed during the read: the next check sees it.
      if (version !== lastState.version) return;
      replaceTokens(tokens);
      versionInUse = version;
      if (loggedError !== undefined) log.info('API_TOKENS_FILE is in use again');
      loggedError = undefined;
      warnIfExposed(isExposed);
    } catch (error) {
      // Try again at each check, but log the error once.
      versionInUse = undefined;
      const { message } = error as Error;
      const errorOfVersion = lastState.version + message;
      if (loggedError !== errorOfVersion) log.warn(`API_TOKENS_FILE ${message}; its last tokens still count`);
      loggedError = errorOfVersion;
    }
  }

  function warnIfExposed(isExposed: boolean): void {
    if (isExposed) log.warn('API_TOKENS_FILE can be changed by every user of this machine; chmod o-w ends that');
  }

  let timer: NodeJS.Timeout;
  let isClosed = false;
  function scheduleCheck(): void {
    if (!isClosed) timer = setTimeout(() => void checkFile().then(scheduleCheck), CHECK_INTERVAL_MS).unref();
  }
  warnIfExposed(start.isExposed);
  scheduleCheck();
  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}
