// Runs work when changes have settled, one run at a time.
import { performance } from 'node:perf_hooks';

// Several files are often saved at once.
const SETTLE_MS = 100;

/** Runs that follow changes. */
export interface Turns {
  /** Something changed: a run is to follow. */
  readonly schedule: () => void;
  /** No further run begins. */
  readonly stop: () => void;
}

/**
 * One run at a time, when changes have settled. What changes during a run gets a run of its own after it.
 *
 * @param run is given when its first change came, as `performance.now()` had it; it is never rejected
 * @param onWaiting is called when changes have settled that have to wait for the end of a run
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

  function take(): number | undefined {
    const taken = since;
    since = undefined;
    return taken;
  }

  async function begin(): Promise<void> {
    if (isBusy) onWaiting();
    const first = isBusy ? undefined : take();
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
