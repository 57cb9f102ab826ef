'use strict';
const { resolve } = require('node:path');
const { inRounds, start } = require('../start-servers.js');
const { medianRatio, toRange } = require('../statistics.js');
const { HEADERS, toCreation } = require('../workload.js');

const KIT = resolve(__dirname, '../../..');
const VALID = toCreation('1');
const REQUESTS = {
  'a creation, 200': [200, VALID],
  'a wrong body, 400': [400, { ...VALID, body: '{"id":"x","name":5}' }],
  'a wrong token, 401': [401, { ...VALID, headers: { ...HEADERS, authorization: 'Bearer another-token-of-a-client' } }],
};

/** What a request costs the main thread without sockets and a store, and what it cost in another checkout. */
async function measureCpu({ against, rounds, tell }) {
  const kits = { ours: KIT, ...(against && { against: resolve(against, 'kit') }) };
  const contenders = Object.entries(REQUESTS).flatMap(([request, [status, sent]]) =>
    Object.entries(kits).map(([kit, folder]) => ({ name: `${request}, ${kit}`, request, kit, folder, status, sent })),
  );
  const rows = await inRounds({ rounds, tell }, contenders, {
    // Two processes of the same code differ: each measurement has its own.
    async measure({ folder, status, sent }) {
      await using server = await start('./servers/in-process.js', {
        args: [folder, String(status), JSON.stringify(sent)],
      });
      return server.hello.microseconds;
    },
  });
  const find = (request, kit) => rows.find(({ name }) => name === `${request}, ${kit}`)?.results;
  const [creation] = Object.keys(REQUESTS);
  const toRatio = (values, others) => (others ? medianRatio(values, others).toFixed(2) : '-');
  return [
    {
      title: 'CPU of the main thread for a request, without sockets and a store',
      head: ['request', 'us', 'min-max', '/ 200', '/ against'],
      rows: Object.keys(REQUESTS).map((request) => {
        const values = find(request, 'ours');
        const ratios = [toRatio(values, find(creation, 'ours')), toRatio(values, find(request, 'against'))];
        return [request, ...toRange(values), ...ratios];
      }),
      notes: ['/ against: the checkout that --against names, in the same rounds'],
    },
  ];
}

module.exports = { measureCpu };
