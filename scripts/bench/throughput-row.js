// @ts-check
'use strict';
const { median, range } = require('./statistics.js');
const { serverMicroseconds } = require('./with-servers.js');

// Above this the load generator may be what is measured.
const BUSY = 0.95;
const MARK = ' *';

/**
 * A row of a table: speed, ratios, latency and processor time.
 *
 * @param {string} name
 * @param {import('./with-servers.js').Result[]} results
 * @param {number[]} ratios
 */
function toRow(name, results, ratios) {
  const speed = range(results.map(({ requestsPerSecond }) => requestsPerSecond));
  const isLimited = median(results.map(({ busy }) => busy)) > BUSY;
  const latencies = /** @type {const} */ (['p50', 'p99', 'p999']).map((part) =>
    median(results.map((result) => result[part])),
  );
  return [
    isLimited ? name + MARK : name,
    speed.median.toFixed(0),
    `${speed.min.toFixed(0)}-${speed.max.toFixed(0)}`,
    ...ratios.map((ratio) => ratio.toFixed(2)),
    ...latencies.map((latency) => latency.toFixed(2)),
    median(results.map(serverMicroseconds)).toFixed(1),
  ];
}

/** What is to be said below a table of such rows. @param {{ name: string, results: import('./with-servers.js').Result[] }[]} all */
function toNotes(all) {
  const results = all.flatMap((row) => row.results);
  const others = median(results.map((result) => result.others));
  const isLimited = all.some((row) => median(row.results.map(({ busy }) => busy)) > BUSY);
  return [
    `CPU us: processor time of the server for one request, its threads and processes included`,
    `other processes kept ${(others * 100).toFixed(0)}% of a core busy meanwhile`,
    ...(isLimited ? ['* the load generator was at its limit: the server may be faster'] : []),
  ];
}

module.exports = { toNotes, toRow };
