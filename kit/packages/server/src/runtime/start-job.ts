// Background work of a service.
import { setTimeout as sleep } from 'node:timers/promises';
import { callSafely, type Log } from '../http/request-log';

/** Whether another process runs the jobs, as a cluster's primary does for its workers. */
export const jobs = { areElsewhere: false };

/**
 * Repeats work in the background, and logs each failure.
 *
 * @param pause before each run, in milliseconds
 * @param run the work; the signal is aborted when the job is stopped
 * @returns a function that stops the job, and waits for the run in progress
 * @example const stopJob = startJob(log.child({ job: 'clean up' }), 60_000, () => removeExpired(store));
 */
export function startJob(log: Log, pause: number, run: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  if (jobs.areElsewhere) return () => Promise.resolve();
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
        // The next run follows even after a failure.
        logFailure(err);
      }
    }
  }
  const ended = runAgain();
  return async () => {
    controller.abort();
    await ended;
  };
}
