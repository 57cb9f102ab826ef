import type { Outcome, Report } from '../contract/http/outcome';
import { logOutcome, type Log } from './log';

const WINDOW_MS = 1_000;
/** For each status, in a window. */
const MAX_REFUSALS = 100;

/**
 * Logs requests, a line each. Of refusals of one status it logs so many in a second and then only their number, so that
 * whoever sends nothing but bad requests fills no disk.
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
