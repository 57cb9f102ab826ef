'use strict';
const { join } = require('node:path');
const { median, toRange, toSpeeds } = require('../statistics.js');
const { inRounds, start, withFolder, withServers } = require('../with-servers.js');

const [OURS, HTTP, DISK] = ['ours, SQLite', 'node:http, our store', 'a sync alone'];
/** As many as ours has in a second, at half of the load, roughly. */
const SYNCS = 1_000;

/** What a creation waits when the server has half of the requests that it could serve, and where it waits. */
async function measureHalf({ rounds, seconds, connections: [connections] }, tell) {
  const rows = await withFolder(async (folder) => {
    const contenders = [
      { name: OURS, script: 'ours', args: ['--store', 'sqlite', '--database', join(folder, 'ours.db')] },
      {
        name: HTTP,
        script: 'node-http',
        args: ['--store', 'sqlite', '--database', join(folder, 'http.db')],
        enforces: false,
      },
    ];
    const disk = await start('./servers/plain-sync.js', {
      args: ['--file', join(folder, 'sync'), '--rate', String(SYNCS)],
    });
    try {
      return await withServers({ contenders, tell }, (servers) => {
        const rates = new Map();
        const loadHalf = ({ name, load }) => load({ connections, seconds, rate: rates.get(name) });
        return inRounds({ rounds, tell }, [...servers, { name: DISK, load: (order) => disk.ask(order, 60_000) }], {
          async warmUp({ name, load }) {
            await load({ connections, seconds: 2 });
            rates.set(name, (await load({ connections, seconds })).requestsPerSecond / 2);
          },
          measure: loadHalf,
        });
      });
    } finally {
      await disk.stop();
    }
  });
  return [
    {
      title: `Creations at half of the load, ${connections} connections`,
      head: ['what', 'a second', 'min-max', 'p50 ms', 'p99 ms', 'p99.9 ms'],
      rows: rows.map(({ name, results }) => [
        name,
        ...toRange(toSpeeds(results)),
        ...['p50', 'p99', 'p999'].map((part) => median(results.map((result) => result[part])).toFixed(2)),
      ]),
      notes: [`${DISK}: 4 KB written and synced ${SYNCS} times a second, without SQLite and HTTP`],
    },
  ];
}

module.exports = { measureHalf };
