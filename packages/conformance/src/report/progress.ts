// Shows the progress of a run on standard error.
// Without a terminal, shorter runs print no progress.
const MUCH = 1_000;

const CLEAR_LINE = '\r\x1b[K';

// Rewrites one line on a terminal; elsewhere prints three lines in a long run.
export function showProgress(count: number, total: number, failed: number): void {
  const text = `${String(count)} of ${String(total)}, ${String(failed)} failed`;
  if (process.stderr.isTTY) process.stderr.write(`${CLEAR_LINE}${count < total ? text : ''}`);
  else if (total >= MUCH && count < total && count % Math.ceil(total / 4) === 0) process.stderr.write(`${text}\n`);
}
