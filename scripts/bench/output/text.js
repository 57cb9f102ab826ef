// @ts-check
'use strict';

/** @param {import('./results.js').Part} part */
function toText({ date, machine, load, tables, targets }) {
  const { cpu, cores, memory, node, system, filesystem } = machine;
  return [
    `${cpu}, ${String(cores)} cores, ${memory}, Node ${node}, ${system}, ${filesystem}, ${date}`,
    load,
    ...tables.flatMap(({ title, head, rows, notes }) => ['', title, '', ...toLines([head, ...rows]), ...notes]),
    '',
    ...targets.map(({ what, value, isMet }) => `${isMet ? 'met   ' : 'missed'}  ${what}: ${value}`),
    '',
    '',
  ].join('\n');
}

/** @param {string[][]} rows */
function toLines(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd : cell.padStart).call(cell, widths[column] ?? 0)).join('  '),
  );
}

module.exports = { toText };
