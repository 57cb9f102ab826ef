// @ts-check
'use strict';

// Above this the load generator may be what is measured.
const BUSY = 0.95;

/** @param {import('./results.js').Summary} summary */
function toText({ date, machine, load, rows, others, startUp, memory, targets }) {
  const head = ['server', 'requests/s', 'min-max', '/ eov', '/ express', 'p50 ms', 'p99 ms', 'CPU us'];
  const body = rows.map((row) => [
    row.generatorBusy > BUSY ? `${row.name} *` : row.name,
    row.median.toFixed(0),
    `${row.min.toFixed(0)}-${row.max.toFixed(0)}`,
    row.toEov.toFixed(2),
    row.toExpress.toFixed(2),
    row.p50.toFixed(2),
    row.p99.toFixed(2),
    row.microseconds.toFixed(1),
  ]);
  const isLimited = rows.some(({ generatorBusy }) => generatorBusy > BUSY);
  return [
    `${machine.cpu}, ${String(machine.cores)} cores, Node ${machine.node}, ${date}`,
    `POST /plants, ${count(load.connections, 'connection')}, ${count(load.rounds, 'round')} of ${String(load.seconds)} s`,
    '',
    ...toTable([head, ...body]),
    'CPU us: processor time of the server for one request',
    `other processes kept ${(others * 100).toFixed(0)}% of a core busy meanwhile`,
    ...(isLimited ? ['* the load generator was at its limit: the server may be faster'] : []),
    '',
    `start-up: ${startUp.median.toFixed(0)} ms (${startUp.min.toFixed(0)}-${startUp.max.toFixed(0)})`,
    ...memory.map(
      ({ name, rss, heapUsed, statuses }) =>
        `memory after 3000 spellings of Content-Type, ${name}: ${signed(rss)} MB resident, ${signed(heapUsed)} MB heap (${statuses})`,
    ),
    '',
    ...targets.map(({ what, value, isMet }) => `${isMet ? 'met   ' : 'missed'}  ${what}: ${value}`),
    '',
  ].join('\n');
}

/** @param {number} amount @param {string} noun */
function count(amount, noun) {
  return `${String(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}

/** @param {number} value */
function signed(value) {
  return `${value < 0 ? '' : '+'}${value.toFixed(1)}`;
}

/** The first column to the left, the others to the right. @param {string[][]} lines */
function toTable(lines) {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd : cell.padStart).call(cell, widths[column] ?? 0)).join('  '),
  );
}

module.exports = { toText };
