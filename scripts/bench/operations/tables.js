// @ts-check
'use strict';
const { median, medianRatio, range } = require('../statistics.js');
const { toNotes, toRow } = require('../throughput-row.js');

/** @typedef {import('./operations.js').Row} Row */
/** @typedef {import('./operations.js').StartUpRow} StartUpRow */

const OURS = 'ours';
const MOST = 500;

/** @param {Row[]} rows @param {StartUpRow[]} starts @param {number} connections */
function toTables(rows, starts, connections) {
  return {
    tables: [toThroughputTable(rows, connections), toStartTable(starts)],
    targets: [
      ...rows.filter(({ server, count }) => server === OURS && count > 1).map((row) => toRatioTarget(rows, row)),
      ...toStartTargets(starts),
    ],
  };
}

/** @param {Row[]} rows @param {number} connections @returns {import('../parts.js').Table} */
function toThroughputTable(rows, connections) {
  return {
    title: `Requests by the number of operations, ${String(connections)} connections`,
    head: ['server, operations', 'requests/s', 'min-max', '/ 1', 'p50 ms', 'p99 ms', 'p99.9 ms', 'CPU us'],
    rows: byServer(rows).map((row) => toRow(row.name, row.results, [toRatio(rows, row)])),
    notes: [
      '/ 1: to the same server with one operation; all requests go to one operation, or to 20 of them in turn',
      ...toNotes(rows),
    ],
  };
}

/** @param {StartUpRow[]} starts @returns {import('../parts.js').Table} */
function toStartTable(starts) {
  return {
    title: 'Start by the number of operations',
    head: ['server, operations', 'first 200 ms', 'min-max', 'resident MB'],
    rows: byServer(starts).map(({ name, results }) => {
      const times = range(results.map(({ milliseconds }) => milliseconds));
      return [
        name,
        times.median.toFixed(0),
        `${times.min.toFixed(0)}-${times.max.toFixed(0)}`,
        median(results.map(({ rss }) => rss)).toFixed(0),
      ];
    }),
    notes: [
      'from spawning the process to its first 200, and its memory then',
      'ours has compiled all operations by then; eov documented compiles each when its first request comes',
    ],
  };
}

/** @param {Row[]} rows @param {Row} row @returns {import('../parts.js').Target} */
function toRatioTarget(rows, row) {
  const value = toRatio(rows, row);
  const what = `requests a second, ${row.name} / ours, 1, at least 0.95`;
  return { what, value: value.toFixed(2), isMet: value >= 0.95 };
}

/** @param {StartUpRow[]} starts @returns {import('../parts.js').Target[]} */
function toStartTargets(starts) {
  const { results = [] } = starts.find(({ server, count }) => server === OURS && count === MOST) ?? {};
  const [milliseconds, rss] = [median(results.map((one) => one.milliseconds)), median(results.map((one) => one.rss))];
  const ours = `ours with ${String(MOST)} operations`;
  return [
    {
      what: `${ours}, start to first 200, less than 1 s`,
      value: `${(milliseconds / 1000).toFixed(2)} s`,
      isMet: milliseconds < 1000,
    },
    { what: `${ours}, resident memory after start, less than 300 MB`, value: `${rss.toFixed(0)} MB`, isMet: rss < 300 },
  ];
}

/** @param {Row[]} rows @param {Row} row */
function toRatio(rows, { server, results }) {
  const one = rows.find((other) => other.server === server && other.count === 1);
  return medianRatio(toSpeeds(results), toSpeeds(one?.results ?? []));
}

/** @param {Row['results']} results */
function toSpeeds(results) {
  return results.map(({ requestsPerSecond }) => requestsPerSecond);
}

/** Each with its sizes together. @template {{ server: string }} T @param {T[]} rows @returns {T[]} */
function byServer(rows) {
  return [...Map.groupBy(rows, ({ server }) => server).values()].flat();
}

module.exports = { toTables };
