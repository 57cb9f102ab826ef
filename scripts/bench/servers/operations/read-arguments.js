// @ts-check
'use strict';
const { parseArgs } = require('node:util');
const { listOperations } = require('../../operations/make-contract.js');

/** @returns {{ contract: string, operations: import('../../operations/make-contract.js').Operation[] }} what the command line names */
function readArguments() {
  const options = /** @type {const} */ ({ contract: { type: 'string' }, operations: { type: 'string' } });
  const { contract = '', operations = '0' } = parseArgs({ options }).values;
  return { contract, operations: listOperations(Number(operations)) };
}

module.exports = { readArguments };
