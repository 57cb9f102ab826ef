// Runs work when changes have settled, one run at a time.
import { performance } from 'node:perf_hooks';

// Several files are often saved at once.
const SETTLE_MS = 100;

/** Schedules runs that follow changes. */
export interface Turns {
  /** Has a run follow a change. */
  readonly schedule: () => void;
  /** Has no further run begin. */
  readonly stop: () => void;
}

/**
 * Runs once when changes have settled. Changes during a run get another run after it.
 *
 * @param run gets the time of its first change by `performance.now()`; it is never rejected
 * @param onWaiting is called when settled changes have to wait for the end of a run
 */
export function createTurns(run: (since: number) => Promise<void>, onWaiting: () => void): Turns {
  let since: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;
  let isStopped = false;

  function schedule(): void {
    since ??= performance.now();
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(() => void begin(), SETTLE_MS);
  }

  function takeSince(): number | undefined {
    const taken = since;
    since = undefined;
    return taken;
  }

  async function begin(): Promise<void> {
    if (isBusy) onWaiting();
    const first = isBusy ? undefined : takeSince();
    if (first === undefined) return;
    isBusy = true;
    await run(first);
    isBusy = false;
    if (since !== undefined) schedule();
  }

  return {
    schedule,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
