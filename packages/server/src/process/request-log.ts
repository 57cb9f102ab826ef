// Logs requests.
import type { Outcome, Report } from '../contract/http/outcome';
import { logOutcome, type Log } from './log';

const WINDOW_MS = 1_000;
/** How many refusals with one status are logged in a window. */
const MAX_LOGGED = 100;

/** At most 100 refusals per second and status have a line, so that a client with many bad requests cannot fill the disk. */
export function createRequestLog(log: Log): Report {
  const counts = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;

  // Logs how many refusals had no line of their own. The next refusal begins another window.
  function endWindow(): void {
    timer = undefined;
    for (const [status, count] of counts) {
      if (count > MAX_LOGGED) log.warn({ status, requests: count - MAX_LOGGED }, 'requests that have no line');
    }
    counts.clear();
  }

  return function report(outcome: Outcome) {
    if (outcome.status >= 400) {
      timer ??= setTimeout(endWindow, WINDOW_MS).unref();
      const count = (counts.get(outcome.status) ?? 0) + 1;
      counts.set(outcome.status, count);
      if (count > MAX_LOGGED) return;
    }
    logOutcome(log, outcome);
  };
}
