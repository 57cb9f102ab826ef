/** Is told of each thing that was judged. */
export type Progress = (title: string, done: number, total: number) => void;

const LINES = 4;

/** One line that is written over on a terminal, and a few plain lines elsewhere. */
export function createProgress({ isTTY, write }: { isTTY: boolean; write: (text: string) => void }): Progress {
  return function show(title, done, total) {
    const text = `${title}: ${String(done)} of ${String(total)}`;
    if (isTTY) write(`\r\u001b[2K${done === total ? '' : text}`);
    else if (done === total || done % Math.ceil(total / LINES) === 0) write(`${text}\n`);
  };
}
