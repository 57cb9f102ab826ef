// Runs work when changes have settled, one run at a time.
import { performance } from 'node:perf_hooks';

// Several files are often saved at once.
const SETTLE_MS = 100;

export interface Turns {
  /** Has a run follow a change. */
  readonly schedule: () => void;
  /** Has no further run begin. */
  readonly stop: () => void;
}

/**
 * Calls `run` once when changes have settled: no other change follows for SETTLE_MS. Changes during a run get another
 * run after it, so that there is only one run at a time.
 *
 * @param run gets the time of its first change by `performance.now()`; its promise must never be rejected
 * @param onWaiting is called when settled changes have to wait for the end of a run
 */
export function createTurns(run: (firstChangeTime: number) => Promise<void>, onWaiting: () => void): Turns {
  // The time of the first change since the last run began; undefined if there is none.
  let firstChangeTime: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;
  let isStopped = false;

  function schedule(): void {
    firstChangeTime ??= performance.now();
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(() => void beginRun(), SETTLE_MS);
  }

  // Returns the time of the first change since the last run began, and forgets it.
  function takeFirstChangeTime(): number | undefined {
    const taken = firstChangeTime;
    firstChangeTime = undefined;
    return taken;
  }

  // Begins one run for all changes since the last run began. While a run is under way, tells `onWaiting` instead: the end of
  // that run schedules the next one. `run` is never rejected.
  async function beginRun(): Promise<void> {
    if (isBusy) {
      onWaiting();
      return;
    }
    const since = takeFirstChangeTime();
    if (since === undefined) return;
    isBusy = true;
    await run(since);
    isBusy = false;
    if (firstChangeTime !== undefined) schedule();
  }

  return {
    schedule,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
