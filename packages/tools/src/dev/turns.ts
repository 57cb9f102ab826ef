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
 * @param run gets the time of its first change by `performance.now()`; its promise is never rejected
 * @param onWaiting is called when settled changes have to wait for the end of a run
 */
export function createTurns(run: (firstChange: number) => Promise<void>, onWaiting: () => void): Turns {
  // The time of the first change since the last run began; undefined if there is none.
  let firstChange: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;
  let isStopped = false;

  function schedule(): void {
    firstChange ??= performance.now();
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(() => void beginRun(), SETTLE_MS);
  }

  function takeFirstChange(): number | undefined {
    const taken = firstChange;
    firstChange = undefined;
    return taken;
  }

  // Begins a run for the settled changes. If a run is under way, its end schedules the next one.
  async function beginRun(): Promise<void> {
    if (isBusy) onWaiting();
    const taken = isBusy ? undefined : takeFirstChange();
    if (taken === undefined) return;
    isBusy = true;
    await run(taken);
    isBusy = false;
    if (firstChange !== undefined) schedule();
  }

  return {
    schedule,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
