// Shows the progress of a run.
// Beyond so many cases, people want to know how far it is.
const MUCH = 1_000;

const CLEAR_LINE = '\r\x1b[K';

// One line that changes on a terminal; elsewhere, three lines where there is much to do.
export function showProgress(count: number, total: number, failed: number): void {
  const text = `${String(count)} of ${String(total)}, ${String(failed)} failed`;
  if (process.stderr.isTTY) process.stderr.write(`${CLEAR_LINE}${count < total ? text : ''}`);
  else if (total >= MUCH && count < total && count % Math.ceil(total / 4) === 0) process.stderr.write(`${text}\n`);
}
