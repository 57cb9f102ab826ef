import { performance } from 'node:perf_hooks';

// How long files must stay unchanged before a run starts, because editors often save several at once.
const SETTLE_MS = 100;

export interface RunQueue {
  readonly schedule: () => void;
  readonly stop: () => void;
}

/**
 * Calls `run` once after changes have settled. Changes during a run trigger another run after it, so that runs never overlap.
 *
 * @param run called with the `performance.now()` of its first change; must never reject
 * @param onWaiting called when settled changes are waiting for a run to end
 */
export function createRunQueue(run: (firstChangeTime: number) => Promise<void>, onWaiting: () => void): RunQueue {
  const changeTimes: number[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;
  let isStopped = false;

  function schedule(): void {
    changeTimes.push(performance.now());
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(() => void beginRun(), SETTLE_MS);
  }

  async function beginRun(): Promise<void> {
    if (isBusy) {
      onWaiting();
      return;
    }
    const [changeTime = performance.now()] = changeTimes.splice(0);
    isBusy = true;
    await run(changeTime);
    isBusy = false;
    if (changeTimes.length > 0) schedule();
  }

  return {
    schedule,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
