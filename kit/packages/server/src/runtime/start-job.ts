import { setTimeout as sleep } from 'node:timers/promises';
import { callSafely, type Log } from '../http/request-log';

/** `runElsewhere` is true in the workers of a cluster, because only the primary runs jobs. */
export const jobs = { runElsewhere: false };

/**
 * Repeats work in the background, and logs failures.
 *
 * @param pause the time before each run in milliseconds
 * @param run does the work; its signal is aborted when the job is stopped
 * @returns a function that stops the job and waits for the current run
 * @example const stopJob = startJob(log.child({ job: 'clean up' }), 60_000, () => removeExpired(store));
 */
export function startJob(log: Log, pause: number, run: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  if (jobs.runElsewhere) return () => Promise.resolve();
  const controller = new AbortController();
  const { signal } = controller;
  const logFailure = callSafely(log, 'the log', (err: unknown) => {
    log.error({ err }, 'the job failed');
  });
  async function runAgain(): Promise<void> {
    for (;;) {
      try {
        await sleep(pause, undefined, { signal });
        await run(signal);
      } catch (err) {
        if (signal.aborted) return;
        logFailure(err);
      }
    }
  }
  const lastRun = runAgain();
  return async () => {
    controller.abort();
    await lastRun;
  };
}
