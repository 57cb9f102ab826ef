// Shows the progress of a run on standard error.

// Without a terminal, runs with fewer cases print no progress.
const LONG_RUN = 1_000;

const CLEAR_LINE = '\r\x1b[K';

/** A terminal has one line that is rewritten; in a log, a long run prints a line after each quarter. */
export function showProgress(count: number, total: number, failed: number): void {
  const text = `${String(count)} of ${String(total)}, ${String(failed)} failed`;
  const isEnd = count >= total;
  const isQuarter = !isEnd && count % Math.ceil(total / 4) === 0;
  if (process.stderr.isTTY) process.stderr.write(`${CLEAR_LINE}${isEnd ? '' : text}`);
  else if (total >= LONG_RUN && isQuarter) process.stderr.write(`${text}\n`);
}
