'use strict';
const { once } = require('node:events');
const { parseArgs } = require('node:util');
const { CONTRACT } = require('../workload.js');

// What a server is asked to serve by its command line, and how it tells its port. Nothing of ours is loaded with this
// file: only a server that stores plants loads their schema.

const TEXT = { type: 'string' };
const { database, store } = parseArgs({
  options: {
    store: { ...TEXT, default: 'none' },
    database: TEXT,
  },
  strict: false,
}).values;

/** What a handler does by default: a statement, and with it a commit, for each request. */
async function openInsert(file) {
  const { plantSchema } = require('../../../packages/test-support/plants/dist/store/plant-schema.js');
  const { openDatabase } = require('../../../packages/store/dist/sqlite/commit.js');
  const { prepareSchema, toInserts } = require('../../../packages/store/dist/sqlite/prepare-schema.js');
  const { rowsOf } = require('../../../packages/store/dist/schema.js');
  await prepareSchema(file, plantSchema);
  const connection = openDatabase(file);
  const insert = connection.prepare(toInserts(plantSchema)[0]);
  const { toRow } = rowsOf(plantSchema.tables.plants, 'sqlite');
  return { connection, add: (plant) => void insert.run(...toRow(plant)) };
}

/** What a handler does with a few lines more: one commit for all requests of a turn of the event loop. */
async function openGrouped(file) {
  const { connection, add } = await openInsert(file);
  let waiting = [];
  function commit() {
    const group = waiting;
    waiting = [];
    connection.exec('BEGIN IMMEDIATE');
    for (const { plant } of group) add(plant);
    connection.exec('COMMIT');
    for (const { done } of group) done();
  }
  return {
    add: (plant) =>
      new Promise((done) => {
        if (waiting.push({ plant, done }) === 1) setImmediate(commit);
      }),
  };
}

/** The store that the command line asks for. */
async function openStore() {
  if (store === 'none') return { add: () => Promise.resolve() };
  if (store === 'insert') return openInsert(database);
  if (store === 'grouped') return openGrouped(database);
  const { openPlantStore } = require('../../../packages/test-support/plants/dist/store/plant-store.js');
  return openPlantStore(store === 'sqlite' ? { file: database } : { servers: [database] });
}

/** Answers the parent's questions, and ends when nobody is left to stop this process. */
function reportUsage() {
  process.on('message', () => process.send(usage()));
  process.on('disconnect', () => process.exit());
}

/** Lets a server listen on a free port and tells the parent which; then answers the parent's questions. */
async function serve(server) {
  reportUsage();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address();
  process.send({ port });
}

/** Bytes, after the garbage is gone where --expose-gc lets it be collected, and microseconds of processor time so far. */
function usage() {
  // Twice: what the first one finalizes is freed by the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const main = process.threadCpuUsage();
  return { rss, heapUsed, cpu: user + system, main: main.user + main.system };
}

module.exports = {
  contract: CONTRACT,
  database,
  openStore,
  reportUsage,
  serve,
  usage,
};
