// Commits on the main thread while a client is alone.
import { performance } from 'node:perf_hooks';
import type { RunBatch } from '../queue';
import type { Entry } from './commit';
import type { Connection } from './connection';
import { toResults } from './results';

// So many commits in a row had one entry, and nobody waited meanwhile.
const ALONE = 8;
// The thread empties the log when it commits.
const COMMITS = 256;

/** What the main thread is spared, in milliseconds. */
interface Patience {
  /** A disk that takes longer for a commit is not waited for. */
  readonly commit: number;
  /** A turn of the event loop that takes longer has more to do than this. */
  readonly turn: number;
}

/** The ways of a batch to the disk. */
interface Ways {
  /** On the main thread, beside the thread that writes. */
  readonly beside: Connection;
  readonly ask: RunBatch<Entry>;
  readonly countWaiting: () => number;
}

/**
 * Asks the thread that writes, unless one client after the other has waited alone for a fast disk: what wakes the thread
 * and then the main thread up takes as long as the commit. While others have
 * requests, the main thread never waits for the disk. What cannot be kept at once, such as for a lock of another process, is the thread's, too.
 */
export function commitAlone(
  { beside, ask, countWaiting }: Ways,
  patience: Patience = { commit: 2, turn: 0.1 },
): RunBatch<Entry> {
  let alone = 0;
  let commits = 0;

  async function run(batch: readonly Entry[]): ReturnType<RunBatch<Entry>> {
    // Rows only: a statement may take as long as it likes.
    if (alone < ALONE || batch.some((entry) => 'statements' in entry)) return ask(batch);
    const start = performance.now();
    // What else came in this turn of the event loop is read by then.
    await new Promise((resolve) => setImmediate(resolve));
    const isBusy = countWaiting() > 0 || performance.now() - start > patience.turn;
    if (isBusy || ++commits % COMMITS === 0) return ask(batch);
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
