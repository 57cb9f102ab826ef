import type { Verdict } from './prove';

const HEAD = ['server', 'cases', 'contract', 'robust', 'lines', 'found'];

/** A table for people: what is said against each server at each level. */
export function formatVerdicts(verdicts: readonly Verdict[]): string {
  const rows = [HEAD, ...verdicts.flatMap(toRows)];
  const widths = HEAD.map((_title, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function toRows({ name, judgement, lines, note }: Verdict): string[][] {
  const count = (value: number | undefined): string => (value === undefined ? '-' : String(value));
  const [first = '', ...others] = note.split('\n');
  const counts = [judgement?.cases, judgement?.contract.length, judgement?.robust.length, lines].map(count);
  return [[name, ...counts, first], ...others.map((text) => ['', '', '', '', '', text])];
}
