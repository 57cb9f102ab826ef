import type { CaseResult } from '../run-case';

/**
 * Makes a table of how many cases passed, by operation and class or by class only: `addBook positive 12/12`.
 *
 * @example console.log(toTable(results))
 */
export function toTable(
  results: readonly CaseResult[],
  columns: readonly ('operation' | 'class')[] = ['operation', 'class'],
): string {
  const groups = Map.groupBy(results, ({ case: testCase }) => columns.map((column) => testCase[column]).join('\n'));
  const rows = [...groups].map(([key, group]) => [...key.split('\n'), countPassed(group)]);
  const emptyCells = columns.slice(1).map(() => '');
  return alignColumns([[...columns, 'passed'], ...rows, [...emptyCells, 'all', countPassed(results)]]);
}

function countPassed(results: readonly CaseResult[]): string {
  return `${String(results.filter(({ findings }) => findings.length === 0).length)}/${String(results.length)}`;
}

function alignColumns(rows: readonly (readonly string[])[]): string {
  return padCells(rows)
    .map((row) => row.join('  ').trimEnd())
    .join('\n');
}

/** Makes all cells of a column as wide as its widest one. */
export function padCells(rows: readonly (readonly string[])[]): string[][] {
  const [firstRow = []] = rows;
  const widths = firstRow.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
}
