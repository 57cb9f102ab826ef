// Logs requests.
import type { Outcome, Report } from '../contract/http/outcome';
import { logOutcome, type Log } from './log';

const WINDOW_MS = 1_000;
/** For each status and window. */
const MAX_REFUSALS = 100;

/**
 * Creates a report that logs one line per request. At most 100 refusals per second and status are logged; the rest are only
 * counted, so that a client with many bad requests cannot fill the disk.
 */
export function createRequestLog(log: Log): Report {
  const counts = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;

  function endWindow(): void {
    timer = undefined;
    for (const [status, count] of counts) {
      if (count > MAX_REFUSALS) log.warn({ status, requests: count - MAX_REFUSALS }, 'requests that have no line');
    }
    counts.clear();
  }

  return function report(outcome: Outcome) {
    if (outcome.status >= 400) {
      timer ??= setTimeout(endWindow, WINDOW_MS).unref();
      const count = (counts.get(outcome.status) ?? 0) + 1;
      counts.set(outcome.status, count);
      if (count > MAX_REFUSALS) return;
    }
    logOutcome(log, outcome);
  };
}
