// Commits rows on the main thread while the disk is fast: to send them to another thread costs more than to store them.
import { statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { Entry } from './commit';
import { connect, type Answer, type Connection, type ConnectionOptions } from './connection';

export interface QuickCommits {
  /** @returns undefined if the batch is for the thread: it may be slow, or has to wait for another process */
  run(batch: readonly unknown[]): Answer | undefined;
  /** Tells what the thread answered. */
  observe(answer: Answer): void;
  /** Looks at the files after the thread has changed them. */
  checkFiles(): void;
  close(): void;
}

/** What a commit may take to stay on the main thread. */
const QUICK_MS = 4;
// After a commit of 5 ms, the thread commits for half a second: the main thread waits for the disk a hundredth of the time.
const PENALTY = 100;
// The thread commits one of so many batches: SQLite may then empty the write-ahead log, which takes longer than a commit.
const BATCHES = 64;

/** Commits a batch of rows, if the latest commit was quick. */
export function createQuickCommits(options: ConnectionOptions): QuickCommits {
  let quickFrom = Infinity;
  let batches = 0;
  let connection: Connection | undefined;

  function observe({ milliseconds }: Answer): void {
    if (milliseconds > QUICK_MS) quickFrom = performance.now() + PENALTY * milliseconds;
    else if (quickFrom === Infinity) quickFrom = 0;
  }

  return {
    run(batch) {
      const isQuick = quickFrom <= performance.now() && ++batches % BATCHES !== 0;
      const isForThread = !isQuick || !batch.every((entry) => Array.isArray(entry));
      if (!isForThread) connection ??= connectQuietly({ ...options, isHasty: true });
      // What happened to the files since the last commit may be seen only by the connection that made it.
      if (!connection || (isForThread && connection.isIntact())) return undefined;
      const answer = connection.answer(batch as readonly Entry[]);
      observe(answer);
      // Another process writes, and nothing was done.
      return answer.outcomes.some((outcome) => 'isBusy' in outcome) ? undefined : answer;
    },
    observe,
    checkFiles() {
      connection?.isIntact();
    },
    close() {
      connection?.close();
    },
  };
}

// The thread says what is wrong. SQLite would create a file that is missing.
function connectQuietly(options: ConnectionOptions): Connection | undefined {
  try {
    return statSync(options.file).ino === options.identity.ino ? connect(options) : undefined;
  } catch {
    return undefined;
  }
}
