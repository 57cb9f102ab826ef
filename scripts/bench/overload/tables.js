// @ts-check
'use strict';
const { of, toGrowth, toSlowRatio } = require('./read.js');
const { GOOD, SLOW } = require('./slow.js');
const { median } = require('../statistics.js');

/** @typedef {import('./overload.js').Row} Row */
/** @typedef {import('./slow.js').Row} SlowRow */

/** @param {Row[]} rows @param {{ times: number, connections: number }} how @returns {import('../parts.js').Table[]} */
function toFloodTables(rows, { times, connections }) {
  const title = `Overload: ${String(times)} times of what each can do, ${String(connections)} connections`;
  const busy = Math.max(...rows.map(({ results }) => median(results.map(({ flood }) => flood.busy))));
  return [
    {
      title,
      head: [
        ...['server', 'most/s', 'due/s', 'accepted/s', '503/s'],
        ...['p50 ms', 'p99 ms', 'p99.9 ms', 'p99 from due', '503: p99 ms'],
      ],
      rows: rows.map((row) => [
        row.name,
        of(row, ({ most }) => most).toFixed(0),
        of(row, ({ rate }) => rate).toFixed(0),
        of(row, ({ flood }) => flood.acceptedPerSecond).toFixed(0),
        of(row, ({ flood }) => flood.refusedPerSecond).toFixed(0),
        .../** @type {const} */ (['p50', 'p99', 'p999']).map((part) =>
          of(row, (one) => one.flood.fromSent[part]).toFixed(0),
        ),
        of(row, ({ flood }) => flood.fromDue.p99).toFixed(0),
        of(row, ({ flood }) => flood.refusals.p99).toFixed(0),
      ]),
      notes: [
        'latencies of accepted requests from when they were sent; from due: also what they waited for a free connection',
        `the load generator was busy for ${(100 * busy).toFixed(0)}% of the time at most, beside the server`,
      ],
    },
    {
      title: 'Overload: memory and recovery',
      head: ['server', 'before MB', 'most MB', 'after MB', 'most / before', 'first 200 after ms'],
      rows: rows.map((row) => [
        row.name,
        .../** @type {const} */ (['before', 'most', 'after']).map((when) =>
          of(row, ({ resident }) => resident[when]).toFixed(1),
        ),
        of(row, toGrowth).toFixed(2),
        of(row, ({ flood }) => flood.recovery).toFixed(0),
      ]),
      notes: [
        'resident memory; before: after the server was loaded with what it can do, without the connections of the flood',
        'after: when the last reply has come',
        'first 200: of a new client that begins when nothing more is sent, while what was sent still waits',
        'every table had exactly the rows that were acknowledged',
      ],
    },
  ];
}

/** @param {SlowRow[]} rows @returns {import('../parts.js').Table} */
function toSlowTable(rows) {
  return {
    title: `${String(GOOD)} connections beside ${String(SLOW)} slow ones`,
    head: ['server', 'requests/s', 'beside slow', 'p99 ms', 'beside slow', 'ratio of p99', 'cut off'],
    rows: rows.map((row) => [
      row.name,
      ...[row.results.map(({ without }) => without), row.results.map(({ beside }) => beside)].map((loads) =>
        median(loads.map((load) => load.requestsPerSecond)).toFixed(0),
      ),
      median(row.results.map(({ without }) => without.p99)).toFixed(2),
      median(row.results.map(({ beside }) => beside.p99)).toFixed(2),
      toSlowRatio(row).toFixed(2),
      String(row.results.reduce((sum, { cut }) => sum + cut, 0)),
    ]),
    notes: [
      'slow ones send a byte each second, half of them of their headers, half of their body; cut off: in all rounds',
    ],
  };
}

module.exports = { toFloodTables, toSlowTable };
