'use strict';
const { join } = require('node:path');
const { medianRatio, toRange } = require('../statistics.js');
const { FIRST_ID, inRounds, start, withFolder, withServers } = require('../with-servers.js');

const [OURS, HTTP, INSERT] = ['ours, SQLite', 'node:http, one insert', 'one insert, no HTTP'];

/** What a client waits that sends one request at a time. */
async function measureLone({ rounds, seconds }, tell) {
  const rows = await withFolder(async (folder) => {
    const stored = (store, name = store) => ['--store', store, '--database', join(folder, `${name}.db`)];
    const contenders = [
      { name: OURS, script: 'ours', args: stored('sqlite') },
      { name: HTTP, script: 'node-http', args: stored('insert'), enforces: false },
    ];
    const insert = await start('./servers/plain-insert.js', { args: stored('insert', 'plain') });
    let firstId = FIRST_ID;
    async function loadInsert(order) {
      const answer = await insert.ask({ ...order, firstId });
      firstId += answer.requests;
      return answer;
    }
    try {
      return await withServers({ contenders, tell }, (servers) =>
        inRounds({ rounds, tell }, [...servers, { name: INSERT, load: loadInsert }], {
          warmUp: ({ load }) => load({ connections: 1, seconds: 2 }),
          measure: async ({ load }) => 1000 * (await load({ connections: 1, seconds })).p50,
        }),
      );
    } finally {
      await insert.stop();
    }
  });
  const resultsOf = (wanted) => rows.find(({ name }) => name === wanted).results;
  return [
    {
      title: 'A lone client, one request at a time',
      head: ['what', 'median us', 'min-max', '/ node:http', '/ no HTTP'],
      rows: rows.map(({ name, results }) => [
        name,
        ...toRange(results),
        ...[HTTP, INSERT].map((other) => medianRatio(results, resultsOf(other)).toFixed(2)),
      ]),
      notes: ['each insert is a commit, on disk before the reply'],
    },
  ];
}

module.exports = { measureLone };
