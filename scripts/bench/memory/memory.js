// @ts-check
'use strict';
const { join } = require('node:path');
const { assertRows, countSqlite } = require('../rows.js');
const { withFolder } = require('../with-folder.js');
const { serverMicroseconds, withServers } = require('../with-servers.js');

const SAMPLES = 10;
const CONNECTIONS = 32;
const MB = 1024 ** 2;
const MOST = 1.1;

/** Whether memory grows with the number of plants created. @type {import('../parts.js').Measure} */
async function measureMemory({ creations }, tell) {
  const samples = await withFolder((folder) => {
    const file = join(folder, 'plants.db');
    const contenders = [{ name: 'ours, SQLite', script: 'ours', args: ['--store', 'sqlite', '--database', file] }];
    return withServers({ contenders, tell }, async ([server]) => {
      if (!server) throw new Error('there is no server');
      const sampled = [];
      for (let done = 0; done < creations;) {
        const requests = Math.min(Math.ceil(creations / SAMPLES), creations - done);
        const result = await server.load({ connections: CONNECTIONS, requests });
        const { rss, heapUsed } = await server.ask('usage');
        done += requests;
        tell(`${String(done)} of ${String(creations)} creations, ${(rss / MB).toFixed(0)} MB`);
        const microseconds = serverMicroseconds(result);
        sampled.push({ done, rss, heapUsed, microseconds, requestsPerSecond: result.requestsPerSecond });
      }
      assertRows(server.name, countSqlite(file), server.replies());
      return sampled;
    });
  });

  // The first half warms up: the heap takes what it needs.
  const half = Math.ceil(samples.length / 2);
  const [first, second] = [samples.slice(0, half), samples.slice(half)].map((part) =>
    Math.max(...part.map(({ rss }) => rss)),
  );
  const growth = (second ?? NaN) / (first ?? NaN);
  return {
    tables: [
      {
        title: `Memory over ${String(creations)} creations, ours with SQLite`,
        head: ['creations', 'resident MB', 'heap MB', 'creations/s', 'CPU us'],
        rows: samples.map(({ done, rss, heapUsed, requestsPerSecond, microseconds }) => [
          String(done),
          (rss / MB).toFixed(1),
          (heapUsed / MB).toFixed(1),
          requestsPerSecond.toFixed(0),
          microseconds.toFixed(1),
        ]),
        notes: [`${String(CONNECTIONS)} connections; the table had exactly the rows that were acknowledged`],
      },
    ],
    targets: [
      {
        what: `most resident memory, second half / first half of ${String(creations)} creations, at most ${String(MOST)}`,
        value: growth.toFixed(2),
        isMet: growth <= MOST,
      },
    ],
    data: samples,
  };
}

module.exports = { measureMemory };
