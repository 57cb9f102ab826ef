import { stat } from 'node:fs/promises';
import type { AuthLog } from './auth-log';

/** What is watched. */
export interface WatchedTokens {
  readonly path: string;
  /** The tokens in the file. Throws an Error that says what is wrong with it, and shows none of them. */
  readonly read: (path: string) => readonly string[];
  /** Takes them each time that the file has changed. */
  readonly accept: (tokens: readonly string[]) => void;
  readonly log: AuthLog;
}

const INTERVAL = 250;
const NOT_A_FILE = 'is not a file';

/**
 * Reads a file of tokens again when it has changed: rewritten, renamed over, or behind a link that points elsewhere now.
 *
 * What cannot be used changes nothing, so that a mistake in the file takes no client's access away.
 *
 * @returns ends it
 */
export function watchTokens({ path, read, accept, log }: WatchedTokens): () => void {
  let seen: string | undefined;
  let known: string | undefined;
  let problem: string | undefined;

  // What is half written has changed when it is looked at again.
  async function look(): Promise<void> {
    const before = seen;
    seen = await identify(path);
    if (seen !== before || seen === known) return;
    try {
      // What is no file, as a pipe, can be read but once, or makes everything wait.
      if (seen === NOT_A_FILE) throw new Error(NOT_A_FILE);
      accept(read(path));
      known = seen;
      if (problem !== undefined) log.info('API_TOKENS_FILE is in use again');
      problem = undefined;
    } catch (error) {
      // It is tried again each time, and told once.
      known = undefined;
      const { message } = error as Error;
      if (problem !== seen + message) log.warn(`API_TOKENS_FILE ${message}; its last tokens still count`);
      problem = seen + message;
    }
  }

  let timer: NodeJS.Timeout;
  let isClosed = false;
  function wait(): void {
    if (!isClosed) timer = setTimeout(() => void look().then(wait), INTERVAL).unref();
  }
  wait();
  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}

/** What differs when a file has changed, or why that cannot be told. */
async function identify(path: string): Promise<string> {
  try {
    const file = await stat(path, { bigint: true });
    return file.isFile() ? [file.dev, file.ino, file.size, file.mtimeNs, file.ctimeNs].join() : NOT_A_FILE;
  } catch (error) {
    return (error as Error).message;
  }
}
