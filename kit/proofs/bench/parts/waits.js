'use strict';
const { join } = require('node:path');
const { medianRatio, toLatencies, toRange, toSpeeds } = require('../statistics.js');
const { FIRST_ID, inRounds, makeFolder, startServers } = require('../start-servers.js');

const OURS = 'ours, SQLite';
const [LONE_HTTP, INSERT] = ['node:http, one insert', 'one insert, no HTTP'];
const [HALF_HTTP, DISK] = ['node:http, our store', 'a sync alone'];
/** As many as ours has in a second, at half of the load, roughly. */
const SYNCS = 1_000;

/** Ours, and node:http with a store, which checks nothing. */
function createContenders(folder, http, store) {
  const stored = (kind, name) => ['--store', kind, '--database', join(folder, `${name}.db`)];
  return [
    { name: OURS, script: 'ours', args: stored('sqlite', 'ours') },
    { name: http, script: 'node-http', args: stored(store, 'http'), enforces: false },
  ];
}

/** What a client waits that sends one request at a time. */
async function measureLone({ seconds, tell, ...options }) {
  using folder = makeFolder();
  await using started = await startServers(createContenders(folder.path, LONE_HTTP, 'insert'), tell);
  let firstId = FIRST_ID;
  async function insert(order) {
    const answer = await started.load({ ...order, inserts: join(folder.path, 'plain.db'), firstId });
    firstId += answer.requests;
    return answer;
  }
  const rows = await inRounds({ ...options, tell }, [...started.servers, { name: INSERT, load: insert }], {
    warmUp: ({ load }) => load({ connections: 1, seconds: 2 }),
    measure: async ({ load }) => 1000 * (await load({ connections: 1, seconds })).p50,
  });
  const resultsOf = (wanted) => rows.find(({ name }) => name === wanted).results;
  return [
    {
      title: 'A lone client, one request at a time',
      head: ['what', 'median us', 'min-max', '/ node:http', '/ no HTTP'],
      rows: rows.map(({ name, results }) => [
        name,
        ...toRange(results),
        ...[LONE_HTTP, INSERT].map((other) => medianRatio(results, resultsOf(other)).toFixed(2)),
      ]),
      notes: ['each insert is one commit, which is on disk before the reply is sent'],
    },
  ];
}

/** What a creation waits when the server has half of the requests that it could serve, and where it waits. */
async function measureHalf({ seconds, connections: [connections], tell, ...options }) {
  using folder = makeFolder();
  await using started = await startServers(createContenders(folder.path, HALF_HTTP, 'sqlite'), tell);
  const sync = (order) => started.load({ ...order, syncs: join(folder.path, 'sync'), rate: SYNCS });
  const rates = new Map();
  const rows = await inRounds({ ...options, tell }, [...started.servers, { name: DISK, load: sync }], {
    async warmUp({ name, load }) {
      await load({ connections, seconds: 2 });
      rates.set(name, (await load({ connections, seconds })).requestsPerSecond / 2);
    },
    measure: ({ name, load }) => load({ connections, seconds, rate: rates.get(name) }),
  });
  return [
    {
      title: `Creations at half of the load, ${connections} connections`,
      head: ['what', 'a second', 'min-max', 'p50 ms', 'p99 ms', 'p99.9 ms'],
      rows: rows.map(({ name, results }) => [name, ...toRange(toSpeeds(results)), ...toLatencies(results)]),
      notes: [`${DISK}: this writes and syncs 4 KB ${SYNCS} times a second, without SQLite or HTTP`],
    },
  ];
}

module.exports = { measureHalf, measureLone };
