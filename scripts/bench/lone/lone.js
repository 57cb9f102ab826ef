// @ts-check
'use strict';
const { join } = require('node:path');
const { start } = require('../child.js');
const { inRounds } = require('../in-rounds.js');
const { median, medianRatio, range } = require('../statistics.js');
const { withFolder } = require('../with-folder.js');
const { FIRST_ID, withServers } = require('../with-servers.js');

const MOST = 1.15;
const [OURS, HTTP, INSERT] = ['ours, SQLite', 'node:http, one insert', 'one insert, no HTTP'];

/** What a client waits that sends one request at a time. @type {import('../parts.js').Measure} */
async function measureLone({ rounds, seconds, warmUp }, tell) {
  const rows = await withFolder(async (folder) => {
    const stored = (/** @type {string} */ store) => ['--store', store, '--database', join(folder, `${store}.db`)];
    const contenders = [
      { name: OURS, script: 'ours', args: stored('sqlite') },
      { name: HTTP, script: 'node-http', args: stored('insert'), enforces: false },
    ];
    const insert = await start('./servers/plain-insert.js', {
      args: ['--store', 'insert', '--database', join(folder, 'plain.db')],
    });
    try {
      return await withServers({ contenders, tell }, (servers) => {
        let first = FIRST_ID;
        /** @param {{ seconds: number }} order @returns {Promise<{ requests: number, p50: number }>} */
        async function loadInsert(order) {
          const answer = await insert.ask({ ...order, ids: { first } });
          first += answer.requests;
          return answer;
        }
        return inRounds({ rounds, tell }, [...servers, { name: INSERT, load: loadInsert }], {
          warmUp: ({ load }) => load({ connections: 1, seconds: warmUp }),
          measure: async ({ load }) => (await load({ connections: 1, seconds })).p50,
        });
      });
    } finally {
      await insert.stop();
    }
  });

  const results = (/** @type {string} */ name) => rows.find((row) => row.name === name)?.results ?? [];
  const toHttp = medianRatio(results(OURS), results(HTTP));
  return {
    tables: [
      {
        title: 'A lone client, one request at a time',
        head: ['what', 'median us', 'min-max', '/ node:http', '/ no HTTP'],
        rows: rows.map(({ name, results: of }) => [
          name,
          (1000 * median(of)).toFixed(0),
          `${(1000 * range(of).min).toFixed(0)}-${(1000 * range(of).max).toFixed(0)}`,
          medianRatio(of, results(HTTP)).toFixed(2),
          medianRatio(of, results(INSERT)).toFixed(2),
        ]),
        notes: ['each insert is a commit, on disk before the reply; the medians of the rounds, and their range'],
      },
    ],
    targets: [
      {
        what: `lone client, ours / node:http with one insert, at most ${String(MOST)}`,
        value: toHttp.toFixed(2),
        isMet: toHttp <= MOST,
      },
    ],
    data: rows,
  };
}

module.exports = { measureLone };
