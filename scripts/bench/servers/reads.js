'use strict';
const { DatabaseSync } = require('node:sqlite');
const { parseArgs } = require('node:util');

// Servers load this file, and nothing of ours with it.

const ONE = 'SELECT id, name, tag FROM plants WHERE id = $1';
const PAGE = 'SELECT id, name, tag FROM plants WHERE id > $1 ORDER BY id LIMIT $2';
const { reads: file } = parseArgs({ options: { reads: { type: 'string' } }, strict: false }).values;

/** What a handler does by default: a statement on the main thread, with doubles. */
function openReads() {
  const database = new DatabaseSync(file, { readOnly: true });
  const [one, page] = [ONE, PAGE].map((sql) => database.prepare(sql));
  return {
    readPlant: (id) => one.get({ $1: id }),
    listPlants: (after, limit) => page.all({ $1: after, $2: limit }),
  };
}

/** The file of `--reads`, which parts/reads.js makes; undefined without it. */
module.exports = { file, ONE, PAGE, openReads };
