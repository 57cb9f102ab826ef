// @ts-check
'use strict';
const { parseArgs } = require('node:util');
const { plantSchema } = require('../../../dist/store/plant-schema.js');
const { openPlantStore } = require('../../../dist/store/plant-store.js');
const { createQueue, LIMITS } = require('../../../packages/store/dist/queue.js');
const { createCommit, openDatabase } = require('../../../packages/store/dist/sqlite/commit.js');
const { prepareSchema, toInserts } = require('../../../packages/store/dist/sqlite/prepare-schema.js');

/** @typedef {{ id: number | bigint, name: string, tag?: string | undefined }} Plant */
/** @typedef {{ add: (plant: Plant) => Promise<void> | void, close: () => Promise<void> }} Store */

const close = () => Promise.resolve();
const { sqlite, bytesOf } = plantSchema.tables.plants;
const inserts = toInserts(plantSchema);

/** @type {Record<string, (database: string) => any>} */
const STORES = {
  none: () => ({ add: () => Promise.resolve(), close }),
  // Ours, as it is.
  sqlite: (file) => openPlantStore({ file }),
  postgres: (url) => openPlantStore({ servers: [url] }),
  // Ours, without its thread.
  'sqlite-main': openOnMainThread,
  // What a handler does by default: a statement, and with it a commit, for each request.
  insert: openInsert,
};

/** @returns {Promise<any>} the store that the command line asks for */
async function openStore() {
  const options = /** @type {const} */ ({ store: { type: 'string' }, database: { type: 'string' } });
  const { store = 'none', database = '' } = parseArgs({ options, strict: false }).values;
  const open = STORES[String(store)];
  if (!open) throw new Error(`there is no store ${String(store)}`);
  return open(String(database));
}

/** @param {string} file */
async function openOnMainThread(file) {
  await prepareSchema(file, plantSchema);
  const commit = createCommit(openDatabase(file), inserts);
  /** @param {readonly any[]} batch @returns {Promise<any>} */
  async function run(batch) {
    // What was read from other connections in this turn comes first, so that it can share the commit.
    await new Promise((resolve) => void setImmediate(resolve));
    return new Map(commit(batch).map((outcome) => [outcome.index, { error: new Error(JSON.stringify(outcome)) }]));
  }
  const store = createQueue(run, LIMITS);
  /** @param {any} plant */
  const add = (plant) => store.add([0, sqlite.toRow(plant)], bytesOf(plant));
  return { ...store, add };
}

/** @param {string} file @returns {Promise<Store>} */
async function openInsert(file) {
  await prepareSchema(file, plantSchema);
  const insert = openDatabase(file).prepare(String(inserts[0]));
  /** @param {any} plant */
  const add = (plant) => void insert.run(...sqlite.toRow(plant));
  return { add, close };
}

module.exports = { openStore };
