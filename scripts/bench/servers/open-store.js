'use strict';
const { parseArgs } = require('node:util');
const { plantSchema } = require('../../../dist/store/plant-schema.js');
const { openPlantStore } = require('../../../dist/store/plant-store.js');
const { openDatabase } = require('../../../packages/store/dist/sqlite/commit.js');
const { prepareSchema, toInserts } = require('../../../packages/store/dist/sqlite/prepare-schema.js');

const STORES = {
  none: () => ({ add: () => Promise.resolve() }),
  // Ours, as it is.
  sqlite: (file) => openPlantStore({ file }),
  postgres: (url) => openPlantStore({ servers: [url] }),
  insert: openInsert,
};

/** @returns the store that the command line asks for */
async function openStore() {
  const options = { store: { type: 'string', default: 'none' }, database: { type: 'string' } };
  const { store, database } = parseArgs({ options, strict: false }).values;
  return STORES[store](database);
}

/** What a handler does by default: a statement, and with it a commit, for each request. */
async function openInsert(file) {
  await prepareSchema(file, plantSchema);
  const insert = openDatabase(file).prepare(toInserts(plantSchema)[0]);
  return { add: (plant) => void insert.run(...plantSchema.tables.plants.sqlite.toRow(plant)) };
}

module.exports = { openStore };
