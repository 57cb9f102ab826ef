'use strict';

// Above this the load generator may be what is measured.
const BUSY = 0.95;
const THROUGHPUT = ['p50 ms', 'p99 ms', 'p99.9 ms', 'CPU us', 'main us'];

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median, and from the least to the most, as they stand in a table. */
function toRange(values) {
  return [median(values).toFixed(0), `${Math.min(...values).toFixed(0)}-${Math.max(...values).toFixed(0)}`];
}

/** Round by round, since what slows one server down in a round is likely to slow down the other. */
function medianRatio(values, others) {
  return median(values.map((value, round) => value / others[round]));
}

/** Of loads, the median of one figure to that of a row with this name; NaN where there is none. */
function toRatio(rows, { results }, name) {
  const other = rows.find((row) => row.name === name);
  return other ? medianRatio(toSpeeds(results), toSpeeds(other.results)) : NaN;
}

function toSpeeds(results) {
  return results.map(({ requestsPerSecond }) => requestsPerSecond);
}

function toLatencies(results) {
  return ['p50', 'p99', 'p999'].map((part) => median(results.map((result) => result[part])).toFixed(2));
}

/** Microseconds of the server's processors for a request. */
function toCpu(results) {
  return results.map(({ serverCpu, requests }) => serverCpu / requests);
}

function isLimited({ results }) {
  return median(results.map(({ busy }) => busy)) > BUSY;
}

/** A row of a table: speed, ratios, and what THROUGHPUT names. */
function toRow(row, ratios) {
  const { name, results } = row;
  return [
    isLimited(row) ? `${name} *` : name,
    ...toRange(toSpeeds(results)),
    ...ratios.map((ratio) => ratio.toFixed(2)),
    ...toLatencies(results),
    median(toCpu(results)).toFixed(1),
    median(results.map(({ mainCpu, requests }) => mainCpu / requests)).toFixed(1),
  ];
}

/** What is to be said below a table of such rows. */
function toNotes(rows) {
  return [
    'CPU us: processor time of the server for one request, its threads and processes included',
    'main us: processor time of the main thread for a request',
    ...(rows.some(isLimited) ? ['* the load generator was at its limit: the server may be faster'] : []),
  ];
}

module.exports = { median, medianRatio, THROUGHPUT, toNotes, toRange, toRatio, toRow, toSpeeds };
