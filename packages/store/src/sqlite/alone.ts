// Commits on the main thread while a client is alone.
import { performance } from 'node:perf_hooks';
import type { RunBatch } from '../queue';
import type { Entry } from './commit';
import type { Connection } from './connection';
import { toResults } from './results';

// After so many commits in a row of one entry each, while no other entry waited, the client counts as alone.
const MIN_ALONE = 8;
// One of so many commits is the thread's, which empties the write-ahead log when it commits.
const LOG_COMMITS = 256;

/** The longest times for which the main thread commits itself, in milliseconds. */
interface Patience {
  /** For a commit. A slower disk is left to the thread. */
  readonly commit: number;
  /** For a turn of the event loop. In a longer one, the main thread has other work. */
  readonly turn: number;
}

/** The two ways to commit a batch. */
interface Ways {
  /** On the main thread, beside the thread that writes. */
  readonly beside: Connection;
  /** Asks the thread that writes. */
  readonly ask: RunBatch<Entry>;
  readonly countWaiting: () => number;
}

/**
 * Makes a function that commits batches. It asks the thread that writes, or commits on the main thread itself if each
 * recent client was alone and the disk is fast: waking up the thread, and then the main thread, takes as long as such a
 * commit. The thread also commits when other entries wait, when this turn of the event loop has other work, and when the
 * main thread cannot, such as for a lock of another process.
 */
export function commitAlone(
  { beside, ask, countWaiting }: Ways,
  patience: Patience = { commit: 2, turn: 0.1 },
): RunBatch<Entry> {
  let alone = 0;
  let commits = 0;

  async function run(batch: readonly Entry[]): ReturnType<RunBatch<Entry>> {
    // Rows only: a statement may take long.
    if (alone < MIN_ALONE || batch.some((entry) => 'statements' in entry)) return ask(batch);
    const start = performance.now();
    // By then, the other requests of this turn of the event loop are read.
    await new Promise((resolve) => setImmediate(resolve));
    const isBusy = countWaiting() > 0 || performance.now() - start > patience.turn;
    if (isBusy || ++commits % LOG_COMMITS === 0) return ask(batch);
    const { outcomes } = beside.answer(batch);
    const isKept = !outcomes.some((outcome) => 'isUnavailable' in outcome && outcome.isUnavailable);
    return isKept ? toResults(outcomes, 'written') : ask(batch);
  }

  return async (batch) => {
    const start = performance.now();
    const results = await run(batch);
    const isAlone = batch.length === 1 && countWaiting() === 0;
    alone = isAlone && performance.now() - start < patience.commit ? alone + 1 : 0;
    return results;
  };
}
