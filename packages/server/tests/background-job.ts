import type { Log } from '@contract-kit/server';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs work that is no request's, with `pause` ms before each run. Returns what stops it, and waits for the last run. */
export function startJob(log: Log, pause: number, run: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  async function runAgain(): Promise<void> {
    for (;;) {
      try {
        await sleep(pause, undefined, { signal });
        await run(signal);
      } catch (err) {
        if (signal.aborted) return;
        // A run that fails is logged, and the next one comes all the same.
        log.error({ err }, 'the job failed');
      }
    }
  }
  const ended = runAgain();
  return async () => {
    controller.abort();
    await ended;
  };
}
