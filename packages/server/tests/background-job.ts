import type { Log } from '@contract-kit/server';
import { setTimeout as sleep } from 'node:timers/promises';

interface Job {
  readonly name: string;
  /** The pause before each run, in milliseconds. */
  readonly pause: number;
  /** The log of the service. */
  readonly log: Log;
  /** One run; `signal` is aborted when the service stops. */
  readonly run: (context: { readonly log: Log; readonly signal: AbortSignal }) => Promise<void>;
}

/** Starts work that is no request's. Returns the function that stops it, and waits for the run that is not over. */
export function startJob({ name, pause, log: serviceLog, run }: Job): () => Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const log = serviceLog.child({ job: name });
  async function runAgain(): Promise<void> {
    for (;;) {
      try {
        await sleep(pause, undefined, { signal });
        await run({ log, signal });
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
