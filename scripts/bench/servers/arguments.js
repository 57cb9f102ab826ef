'use strict';
const { parseArgs } = require('node:util');
const { listOperations } = require('../parts/list-operations.js');
const { CONTRACT } = require('../workload.js');

const { contract = CONTRACT, operations = '0' } = parseArgs({
  options: { contract: { type: 'string' }, operations: { type: 'string' } },
  strict: false,
}).values;

/** What the command line names: openapi.yaml, or a contract of make-contract.js and its operations. */
module.exports = { contract, operations: listOperations(Number(operations)) };
