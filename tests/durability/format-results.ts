import type { Result } from './result';

const HEAD = ['proof', 'rounds', 'acknowledged', 'lost', 'half rows', 'other rows', '503s', 'slowest recovery', ''];

/** A table for people. */
export function formatResults(results: readonly Result[]): string {
  const rows = [HEAD, ...results.map(toCells)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => toLine(row, widths)).join('\n');
}

function toCells({ proof, recoveryMs, note = '', ...result }: Result): string[] {
  const { rounds, acknowledged, lost, half, strange, unavailable } = result;
  const numbers = [rounds, acknowledged, lost, half, strange, unavailable].map((value) => String(value ?? '-'));
  return [proof, ...numbers, recoveryMs === undefined ? '-' : `${(recoveryMs / 1000).toFixed(2)} s`, note];
}

function toLine(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => {
    const width = widths[column] ?? 0;
    return column === 0 || column === cells.length - 1 ? cell.padEnd(width) : cell.padStart(width);
  });
  return padded.join('  ').trimEnd();
}
