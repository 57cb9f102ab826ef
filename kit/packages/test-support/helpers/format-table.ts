/** Formats a table for people: the first and the last column are texts, and those between them numbers. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((cell, column) =>
      column === 0 || column === row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    ),
  );
  return lines.map((cells) => cells.join('  ').trimEnd()).join('\n');
}
