'use strict';
const { join } = require('node:path');
const { loadInRounds, makeFolder, startServers } = require('../start-servers.js');
const { medianRatio, THROUGHPUT, toCpu, toNotes, toRatio, toRow } = require('../statistics.js');
const { expectReplies } = require('../workload.js');

const FASTIFY = 'fastify, by hand';
const SERVERS = { nursery: 'nursery', [FASTIFY]: 'fastify-nursery', 'node:http': 'node-http' };
const PLANTS = 10_000;
const MOST = 20;
const LIMITS = [1, 20, 100];
const toRead = (path) => ({ method: 'GET', path: `/v1${path}`, headers: {} });
const plants = Array.from({ length: PLANTS }, (_, index) => toPlant(index));
/** What a server replies to, and what it refuses. */
const READ = LIMITS.map((limit) => {
  const [first, page] = [toFirst(limit, 1), plants.slice(toFirst(limit, 1), toFirst(limit, 1) + limit)];
  return [200, toTexts(limit)[1], limit === 1 ? plants[first] : { plants: page, next: page.at(-1).id }];
});
const REFUSED = ['/plants/x', '/plants?limit=101', '/plants?after=1'].map((path) => [400, toRead(path)]);

/** What the reads of the nursery cost, as it is made: one plant, and pages. Parameters and replies are validated. */
async function measureReads({ connections: [connections], tell, ...options }) {
  using folder = makeFolder();
  const database = await makeNursery(folder.path);
  const contenders = Object.entries(SERVERS).map(([name, script]) => ({
    name,
    script,
    args: ['--store', 'nursery', '--database', database],
    check: (_, port) => expectReplies(name, port, name === 'node:http' ? READ : [...READ, ...REFUSED]),
  }));
  await using started = await startServers(contenders, tell);
  const tables = [];
  for (const limit of LIMITS) {
    const order = { connections, texts: toTexts(limit) };
    tables.push(toTable(limit, connections, await loadInRounds({ ...options, tell }, started.servers, order)));
  }
  return tables;
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

/** Requests all over the table. */
function toTexts(limit) {
  return Array.from({ length: MOST }, (_, turn) => {
    const first = toFirst(limit, turn);
    return toRead(limit === 1 ? `/plants/${plants[first].id}` : `/plants?after=${plants[first - 1].id}&limit=${limit}`);
  });
}

function toFirst(limit, turn) {
  return Math.floor(((PLANTS - limit - 1) * turn) / MOST) + 1;
}

function toTable(limit, connections, rows) {
  const fastify = rows.find(({ name }) => name === FASTIFY);
  return {
    title: `Reads: ${limit === 1 ? 'one plant' : `pages of ${limit}`}, ${connections} connections`,
    head: ['server', 'requests/s', 'min-max', '/ Fastify', 'CPU / Fastify', ...THROUGHPUT],
    rows: rows.map((row) =>
      toRow(row, [toRatio(rows, row, FASTIFY), medianRatio(toCpu(row.results), toCpu(fastify.results))]),
    ),
    notes: [
      'the nursery is examples/nursery as it is made, without lines of log for requests; all servers read the same file with the same SQL',
      ...toNotes(rows),
    ],
  };
}

module.exports = { makeNursery, measureReads, toTexts };
