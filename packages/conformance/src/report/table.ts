import type { CaseResult } from '../run-case';

/**
 * How many cases of each class passed, for each operation.
 *
 * @example console.log(toTable(results))
 */
export function toTable(results: readonly CaseResult[]): string {
  const rows = new Map<string, { passed: number; total: number }>();
  for (const { case: one, findings } of results) {
    const key = `${one.operation}\n${one.class}`;
    const { passed, total } = rows.get(key) ?? { passed: 0, total: 0 };
    rows.set(key, { passed: passed + (findings.length === 0 ? 1 : 0), total: total + 1 });
  }
  const lines = [...rows].map(([key, { passed, total }]) => [...key.split('\n'), `${String(passed)}/${String(total)}`]);
  const all = results.filter(({ findings }) => findings.length === 0).length;
  return align([['operation', 'class', 'passed'], ...lines, ['', 'all', `${String(all)}/${String(results.length)}`]]);
}

/** Columns of text, each as wide as it needs to be. */
export function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
