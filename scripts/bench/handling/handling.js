// @ts-check
'use strict';
const { measureContentTypes } = require('./content-types.js');
const { measureStartUp } = require('./start-up.js');
const { inRounds } = require('../in-rounds.js');
const { medianRatio, range } = require('../statistics.js');
const { toNotes, toRow } = require('../throughput-row.js');
const { withServers } = require('../with-servers.js');

/** @type {import('../with-servers.js').Contender[]} */
const RIVALS = [
  { name: 'ours', script: 'ours' },
  { name: 'ours, logging', script: 'ours', args: ['--logging'] },
  { name: 'eov documented', script: 'eov-documented' },
  { name: 'bare express', script: 'bare-express', enforces: false },
  { name: 'fastify-openapi-glue', script: 'fastify-openapi-glue' },
  { name: 'openapi-backend', script: 'openapi-backend' },
  { name: 'node:http', script: 'node-http', enforces: false },
];

/** What requests cost without a store, beside other ways to serve the contract. @type {import('../parts.js').Measure} */
async function measureHandling({ rounds, seconds, connections: [connections = 32], warmUp }, tell) {
  const throughput = await withServers({ contenders: RIVALS, generator: './load/autocannon.js', tell }, (servers) =>
    inRounds({ rounds, tell }, servers, {
      warmUp: ({ load }) => load({ connections, seconds: warmUp }),
      measure: ({ load }) => load({ connections, seconds }),
    }),
  );
  const startUp = await measureStartUp(tell);
  const memory = await measureContentTypes(tell);

  const speeds = new Map(
    throughput.map(({ name, results }) => [name, results.map((result) => result.requestsPerSecond)]),
  );
  const ratio = (/** @type {string} */ name, /** @type {string} */ to) =>
    medianRatio(speeds.get(name) ?? [], speeds.get(to) ?? []);
  const starts = range(startUp);
  const rss = memory.find(({ name }) => name === 'ours')?.rss ?? NaN;
  const [toEov, toExpress, toGlue] = ['eov documented', 'bare express', 'fastify-openapi-glue'].map((name) =>
    ratio('ours', name),
  );
  return {
    tables: [
      {
        title: `Requests without a store, ${String(connections)} connections`,
        head: ['server', 'requests/s', 'min-max', '/ eov', '/ express', 'p50 ms', 'p99 ms', 'p99.9 ms', 'CPU us'],
        rows: throughput.map(({ name, results }) =>
          toRow(name, results, [ratio(name, 'eov documented'), ratio(name, 'bare express')]),
        ),
        notes: [
          ...toNotes(throughput),
          `start-up: ${starts.median.toFixed(0)} ms (${starts.min.toFixed(0)}-${starts.max.toFixed(0)})`,
          ...memory.map(
            (growth) =>
              `memory after 3000 spellings of Content-Type, ${growth.name}: ${signed(growth.rss)} MB resident, ${signed(growth.heapUsed)} MB heap (${growth.statuses})`,
          ),
        ],
      },
    ],
    targets: [
      { what: 'without a store, ours / eov documented, at least 1.8', value: toEov.toFixed(2), isMet: toEov >= 1.8 },
      {
        what: 'without a store, ours / bare express, at least 1.3',
        value: toExpress.toFixed(2),
        isMet: toExpress >= 1.3,
      },
      {
        what: 'without a store, ours / fastify-openapi-glue, which checks no reply, at least 0.85',
        value: toGlue.toFixed(2),
        isMet: toGlue >= 0.85,
      },
      { what: 'start-up, less than 500 ms', value: `${starts.median.toFixed(0)} ms`, isMet: starts.median < 500 },
      { what: 'memory for spellings, less than 20 MB', value: `${rss.toFixed(1)} MB`, isMet: rss < 20 },
    ],
    data: { throughput, startUp, memory },
  };
}

/** @param {number} value */
function signed(value) {
  return `${value < 0 ? '' : '+'}${value.toFixed(1)}`;
}

module.exports = { measureHandling };
