// @ts-check
'use strict';
const { LIMIT, OURS } = require('./contenders.js');
const { add } = require('../processor.js');
const { median, medianRatio } = require('../statistics.js');
const { toNotes, toRow } = require('../throughput-row.js');

const P99_MS = 5;
// Where the targets of speed are: many clients at once, but not so many that they share every commit.
const USUAL = 32;

/** @param {import('./durable.js').Group[]} groups @param {import('./durable.js').Paced[]} paced */
function toTables(groups, paced) {
  return {
    tables: [...groups.map(toTable), toPacedTable(paced)],
    targets: [...groups.flatMap(toRatioTargets), ...paced.map(toLatencyTarget)],
  };
}

/** @param {import('./durable.js').Group} group @returns {import('../parts.js').Table} */
function toTable({ connections, rows }) {
  const rival = bestRival(rows);
  return {
    title: `Durable creations, ${String(connections)} connections`,
    head: [
      ...['server', 'creations/s', 'min-max', '/ best rival', '/ node:http'],
      ...['p50 ms', 'p99 ms', 'p99.9 ms', 'CPU us', 'database us'],
    ],
    rows: rows.map(({ name, results }) => [
      ...toRow(name, results, [ratio(rows, name, rival), ratio(rows, name, LIMIT)]),
      name.includes('PostgreSQL') ? median(results.map((of) => add(of.databaseCpu) / of.requests)).toFixed(1) : '-',
    ]),
    notes: [
      `best rival: ${rival}; each rival commits every request by itself`,
      `node:http: the row ${LIMIT}`,
      ...toNotes(rows),
      'database us: processor time of the processes of PostgreSQL, which CPU us does not count',
      'every table had exactly the rows that were acknowledged',
    ],
  };
}

/** @param {import('./durable.js').Paced[]} paced @returns {import('../parts.js').Table} */
function toPacedTable(paced) {
  return {
    title: `${OURS}, at half of its most`,
    head: ['connections', 'creations/s', 'p50 ms', 'p99 ms', 'p99.9 ms'],
    rows: paced.map(({ connections, rate, results }) => [
      ...[connections, rate].map(String),
      ...latencies(results).map((latency) => latency.toFixed(2)),
    ]),
    notes: ['requests are due at a fixed rate, and their latency counts from when they are due'],
  };
}

/** @param {import('./durable.js').Group} group @returns {import('../parts.js').Target[]} none where the ratios are figures of the table only */
function toRatioTargets({ connections, rows }) {
  if (connections !== USUAL) return [];
  const wanted = /** @type {const} */ ([
    ['best rival', bestRival(rows), 6],
    ['node:http with our store', LIMIT, 0.75],
  ]);
  return wanted.map(([to, name, least]) => {
    const value = ratio(rows, OURS, name);
    const what = `durable creations, ${String(connections)} connections, ours / ${to}, at least ${String(least)}`;
    return { what, value: value.toFixed(2), isMet: value >= least };
  });
}

/** @param {import('./durable.js').Paced} paced @returns {import('../parts.js').Target} */
function toLatencyTarget({ connections, results }) {
  const [, p99 = NaN] = latencies(results);
  const what = `p99 at half of the most, ${String(connections)} connections, less than ${String(P99_MS)} ms`;
  return { what, value: `${p99.toFixed(2)} ms`, isMet: p99 < P99_MS };
}

/** @param {import('../with-servers.js').Result[]} results */
function latencies(results) {
  return /** @type {const} */ (['p50', 'p99', 'p999']).map((part) => median(results.map((result) => result[part])));
}

/** @param {import('./durable.js').Row[]} rows */
function bestRival(rows) {
  const rivals = rows.filter(({ kind }) => kind === 'rival');
  return rivals.toSorted((a, b) => median(speeds(b)) - median(speeds(a)))[0]?.name ?? '';
}

/** @param {import('./durable.js').Row[]} rows @param {string} name @param {string} to */
function ratio(rows, name, to) {
  const [row, other] = [name, to].map((wanted) => rows.find((one) => one.name === wanted));
  return row && other ? medianRatio(speeds(row), speeds(other)) : NaN;
}

/** @param {import('./durable.js').Row} row */
function speeds({ results }) {
  return results.map(({ requestsPerSecond }) => requestsPerSecond);
}

module.exports = { toTables };
