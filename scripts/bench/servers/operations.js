'use strict';
const { parseArgs } = require('node:util');
const { CONTRACT } = require('../workload.js');

// Servers load this file, and nothing of ours with it.

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

const { contract = CONTRACT, operations = '0' } = parseArgs({
  options: { contract: { type: 'string' }, operations: { type: 'string' } },
  strict: false,
}).values;

/** What the command line names: openapi.yaml, or another contract and its operations. */
module.exports = { contract, listOperations, operations: listOperations(Number(operations)) };
