// @ts-check
'use strict';
const { listOperations } = require('./make-contract.js');
const { HEADERS } = require('../workload.js');

/** How many operations are asked in turn at most. */
const MOST = 20;
const ID = 1234567890;
const AFTER = 41;
const BODY = { name: 'Rose', amount: 12, kind: 'shrub', tags: ['red', 'old'] };

/** What each operation replies to its request; the limit is the default of the contract. */
const REPLY = { id: ID, after: AFTER, limit: 20, ...BODY };

/**
 * Requests for operations from the first to the last, at equal distances. Not for all: the first one for an operation
 * may take a server most of a second.
 *
 * @param {number} count of operations
 * @param {number} several how many of them
 * @returns {import('../load/requests.js').Text[]}
 */
function toTexts(count, several) {
  const operations = listOperations(count);
  const spread = Array.from({ length: several }, (_, turn) => {
    const place = Math.round(several === 1 ? (count - 1) / 2 : (turn * (count - 1)) / (several - 1));
    return /** @type {(typeof operations)[0]} */ (operations[place]);
  });
  return spread.map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: `${path.replace('{id}', String(ID))}?after=${String(AFTER)}`,
    headers: HEADERS,
    body: JSON.stringify(BODY),
  }));
}

module.exports = { BODY, MOST, REPLY, toTexts };
