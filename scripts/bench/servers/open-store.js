// @ts-check
'use strict';
const { parseArgs } = require('node:util');
const { createGroupCommit, LIMITS } = require('../../../dist/store/group-commit.js');
const { openPostgresStore } = require('../../../dist/store/postgres.js');
const { prepareSchema } = require('../../../dist/store/sqlite-schema.js');
const { createCommit, openDatabase } = require('../../../dist/store/sqlite-commit.js');
const { openSqliteStore, toRow } = require('../../../dist/store/sqlite.js');

/** @typedef {{ id: number | bigint, name: string, tag?: string | undefined }} Plant */
/** @typedef {{ add: (plant: Plant) => Promise<void> | void, close: () => Promise<void> }} Store */

const close = () => Promise.resolve();

/** @type {Record<string, (database: string) => any>} */
const STORES = {
  none: () => ({ add: () => Promise.resolve(), close }),
  // Ours, as it is.
  sqlite: (file) => openSqliteStore(file),
  postgres: (url) => openPostgresStore([url]),
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
function openOnMainThread(file) {
  prepareSchema(file);
  const commit = createCommit(openDatabase(file));
  const committer = {
    /** @param {readonly any[]} batch */
    async commit(batch) {
      // What was read from other connections in this turn comes first, so that it can share the commit.
      await new Promise((resolve) => void setImmediate(resolve));
      return new Map(commit(batch.map(toRow)).map(({ place, message }) => [place, new Error(message)]));
    },
    check: close,
    close,
  };
  return createGroupCommit(committer, LIMITS);
}

/** @param {string} file @returns {Store} */
function openInsert(file) {
  prepareSchema(file);
  const insert = openDatabase(file).prepare(
    `INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT (id, name, ifnull(tag, x'')) DO NOTHING`,
  );
  return { add: ({ id, name, tag }) => void insert.run(id, name, tag ?? null), close };
}

module.exports = { openStore };
