'use strict';
const { join, resolve } = require('node:path');
const { inRounds, makeFolder, start } = require('../start-servers.js');
const { medianRatio, toRange } = require('../statistics.js');
const { OTHER_HEADERS, toCreation } = require('../workload.js');

const PLANTS = 10_000;
const plants = Array.from({ length: PLANTS }, (_, index) => toPlant(index));
const KIT = resolve(__dirname, '../../..');
const VALID = toCreation('1');
const CREATION = 'a creation';
/** Of each its server, status and text. */
const REQUESTS = {
  [CREATION]: ['ours', 200, VALID],
  'a wrong body, 400': ['ours', 400, { ...VALID, body: '{"id":"x","name":5}' }],
  'a wrong token, 401': ['ours', 401, { ...VALID, headers: OTHER_HEADERS }],
  'one row of the nursery': ['nursery', 200, toRead(1)],
  'a page of 20 rows': ['nursery', 200, toRead(20)],
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

/** @returns the file of a store with many plants */
async function makeNursery(folder) {
  const file = join(folder, 'nursery.db');
  const { openNurseryStore } = require('../../../examples/nursery/dist/store/open-nursery-store.js');
  const store = await openNurseryStore({ file });
  for (let first = 0; first < PLANTS; first += 1_000)
    await Promise.all(plants.slice(first, first + 1_000).map((plant) => store.addPlant(plant)));
  await store.close();
  return file;
}

/** Some plants have all properties, others only those that are required. */
function toPlant(index) {
  return {
    id: `0198c2f4-7a51-7c3e-9d40-${String(index).padStart(12, '0')}`,
    name: `Lavender ${index}`,
    ...(index % 3 > 0 && { botanicalName: 'Lavandula angustifolia' }),
    light: index % 2 === 0 ? 'sun' : 'half shade',
    cents: 450 + index,
    stock: index % 200,
    ...(index % 3 > 1 && { tags: ['hardy', 'bees'] }),
    added: new Date(Date.UTC(2026, 0, 1) + index).toISOString(),
  };
}

/** Reads a plant, or a page. */
function toRead(limit) {
  const path = limit === 1 ? `/plants/${plants[1].id}` : `/plants?after=${plants[0].id}&limit=${limit}`;
  return { method: 'GET', path: `/v1${path}`, headers: {} };
}

module.exports = { measureCpu };
