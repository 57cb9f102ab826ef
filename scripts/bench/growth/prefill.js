// @ts-check
'use strict';
const { closeSync, fsyncSync, openSync } = require('node:fs');
const { DatabaseSync } = require('node:sqlite');
const { plantSchema } = require('../../../dist/store/plant-schema.js');
const { prepareSchema } = require('../../../packages/store/dist/sqlite/prepare-schema.js');
const { createIds } = require('../load/ids.js');
const { PLANT } = require('../workload.js');

const AT_ONCE = 100_000;

// Fills a table as plants that come one by one do: with its index in place, so that its pages are as full as they
// would be. Only what makes it durable is left out until the end. The order is a file, ids and rows.

process.on(
  'message',
  async (/** @type {{ file: string, ids: import('../load/ids.js').Ids, rows: number }} */ { file, ids, rows }) => {
    await prepareSchema(file, plantSchema);
    const database = new DatabaseSync(file);
    // The log is put back at the end. The cache holds the index, which ids in random order would otherwise fetch from disk.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000');
    const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)');
    const nextId = createIds(ids);
    for (let done = 0; done < rows;) {
      database.exec('BEGIN');
      for (const end = Math.min(rows, done + AT_ONCE); done < end; done++) insert.run(nextId(), PLANT.name, PLANT.tag);
      database.exec('COMMIT');
    }
    database.exec('PRAGMA journal_mode = WAL');
    database.close();
    const opened = openSync(file, 'r+');
    fsyncSync(opened);
    closeSync(opened);
    process.send?.('filled');
  },
);
process.on('disconnect', () => process.exit());
process.send?.('ready');
