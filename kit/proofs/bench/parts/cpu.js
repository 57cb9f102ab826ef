'use strict';
const { resolve } = require('node:path');
const { inRounds, makeFolder, start } = require('../start-servers.js');
const { medianRatio, toRange } = require('../statistics.js');
const { OTHER_HEADERS, toCreation } = require('../workload.js');
const { makeNursery, toTexts } = require('./reads.js');

const KIT = resolve(__dirname, '../../..');
const VALID = toCreation('1');
const CREATION = 'a creation';
/** Of each its server, status and text. */
const REQUESTS = {
  [CREATION]: ['ours', 200, VALID],
  'a wrong body, 400': ['ours', 400, { ...VALID, body: '{"id":"x","name":5}' }],
  'a wrong token, 401': ['ours', 401, { ...VALID, headers: OTHER_HEADERS }],
  'one row of the nursery': ['nursery', 200, toTexts(1)[0]],
  'a page of 20 rows': ['nursery', 200, toTexts(20)[0]],
};

/** What a request costs the main thread without sockets and a store, and what it cost in another checkout. */
async function measureCpu({ against, rounds, tell }) {
  using temporary = makeFolder();
  const args = ['--store', 'nursery', '--database', await makeNursery(temporary.path)];
  const kits = { ours: KIT, ...(against && { against: resolve(against, 'kit') }) };
  const contenders = Object.entries(REQUESTS).flatMap(([request, [script, status, sent]]) =>
    Object.entries(kits).map(([kit, folder]) => ({ name: `${request}, ${kit}`, folder, script, status, sent })),
  );
  const rows = await inRounds({ rounds, tell }, contenders, {
    // Two processes of the same code differ: each measurement has its own.
    async measure({ folder, script, status, sent }) {
      await using server = await start('./servers/in-process.js', {
        args: [folder, script, String(status), JSON.stringify(sent), ...(script === 'nursery' ? args : [])],
      });
      return server.hello.microseconds;
    },
  });
  const find = (request, kit) => rows.find(({ name }) => name === `${request}, ${kit}`)?.results;
  const toRatio = (values, others) => (others ? medianRatio(values, others).toFixed(2) : '-');
  return [
    {
      title: 'CPU of the main thread for a request, without sockets',
      head: ['request', 'us', 'min-max', '/ creation', '/ against'],
      rows: Object.keys(REQUESTS).map((request) => {
        const values = find(request, 'ours');
        const ratios = [toRatio(values, find(CREATION, 'ours')), toRatio(values, find(request, 'against'))];
        return [request, ...toRange(values), ...ratios];
      }),
      notes: [
        'creations are not stored, rows are read from SQLite',
        'against: the checkout that --against names, in the same rounds',
      ],
    },
  ];
}

module.exports = { measureCpu };
