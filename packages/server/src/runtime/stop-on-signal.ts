// Stops a service on SIGTERM or SIGINT.
import type { Log } from './log';

interface StopOptions {
  readonly log: Log;
  /** Makes the service not ready, so that load balancers send no more requests. */
  readonly endReadiness: () => void;
  /** Ends the requests in flight; fulfilled with whether every client got its replies. */
  readonly drain: () => Promise<boolean>;
  /** What has to be closed after the last request. */
  readonly opened: AsyncDisposableStack;
}

// How long the log may take to be written.
const LOG_GRACE_MS = 500;

/** Makes the first SIGTERM or SIGINT stop the service after the requests in flight; a second one ends it at once. */
export function stopOnSignal({ log, endReadiness, drain, opened }: StopOptions): void {
  async function stop(signal: NodeJS.Signals): Promise<void> {
    // Without listeners, a second signal ends the process at once.
    process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
    log.info({ signal }, 'stopping');
    endReadiness();
    const isComplete = await drain();
    await opened.disposeAsync();
    if (isComplete) log.info('stopped');
    else log.warn('stopped; requests that took longer than SHUTDOWN_TIMEOUT, or whose replies were not read, were cut');
    // If the reader of the log stalls, pino's writing thread keeps the process alive even after exit: end it by the signal.
    setTimeout(process.kill.bind(process), LOG_GRACE_MS, process.pid, signal).unref();
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
}
