'use strict';
const { once } = require('node:events');
const { DatabaseSync } = require('node:sqlite');
const { parseArgs } = require('node:util');
const { CONTRACT } = require('../workload.js');

// What a server is asked to serve by its command line, and how it tells its port. Nothing of ours is loaded with this
// file: only a server that stores plants loads their schema.

const TEXT = { type: 'string' };
const { chunks, contract, database, items, operations, store } = parseArgs({
  options: {
    contract: { ...TEXT, default: CONTRACT },
    // How many the contract has, all of which repeat what they are given.
    operations: { ...TEXT, default: '0' },
    store: { ...TEXT, default: 'none' },
    database: TEXT,
    // How many items and chunks of 64 kB streams have.
    items: TEXT,
    chunks: TEXT,
  },
  strict: false,
}).values;

const METHODS = ['put', 'post'];
const PATHS = [(name) => `/${name}/{id}`, (name) => `/${name}/{id}/draft`];

/** The operations of a contract that has so many. */
function listOperations(count) {
  return Array.from({ length: count }, (_, place) => {
    const resource = `resource${Math.floor(place / (METHODS.length * PATHS.length))}`;
    const path = PATHS[Math.floor(place / METHODS.length) % PATHS.length](resource);
    return { id: `operation${place}`, path, method: METHODS[place % METHODS.length], resource };
  });
}

/** The nursery's reads, with its SQL, as a handler does them by default: on the main thread, with doubles. */
function openNursery() {
  const { findPlant, listPlants } = require('../../../examples/nursery/dist/store/queries.js');
  const file = new DatabaseSync(database, { readOnly: true });
  const [one, page] = [findPlant('').sql, listPlants({ after: '' }, 1).sql].map((sql) => file.prepare(sql));
  return {
    readPlant(id) {
      const found = one.get({ $1: id });
      return { plant: toPlant(found), version: found.version };
    },
    listPlants(after, limit) {
      const found = page.all({ $1: after, $2: limit + 1 });
      const plants = found.slice(0, limit).map(toPlant);
      return { plants, ...(found.length > limit && { next: plants[limit - 1].id }) };
    },
  };
}

function toPlant({ id, name, botanical_name: botanicalName, light, cents, stock, tags, added }) {
  return {
    id,
    name,
    ...(botanicalName !== null && { botanicalName }),
    light,
    cents,
    stock,
    ...(tags !== null && { tags: JSON.parse(tags) }),
    added,
  };
}

/** A stream of items, as a handler makes it. */
async function* createItems() {
  for (let bed = 1; bed <= Number(items); bed++) yield { bed, value: bed / 2 };
}

function* createBytes() {
  const chunk = Buffer.alloc(65_536, 'a');
  for (let count = 0; count < Number(chunks); count++) yield chunk;
}

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
  contract,
  createBytes,
  createItems,
  database,
  items,
  listOperations,
  openInsert,
  openNursery,
  openStore,
  operations: listOperations(Number(operations)),
  reportUsage,
  serve,
  store,
  usage,
};
