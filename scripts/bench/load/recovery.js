// @ts-check
'use strict';
const { performance } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');
const { request } = require('./request.js');

const BETWEEN_MS = 20;
const GIVE_UP_MS = 10_000;

/**
 * How long a new client, which tries again when it is refused, waits for a 200.
 *
 * @param {number} port
 * @returns {Promise<number>} milliseconds
 */
async function measureRecovery(port) {
  const begin = performance.now();
  for (;;) {
    const { status } = await request(port).catch(() => ({ status: undefined }));
    const elapsed = performance.now() - begin;
    if (status === 200 || elapsed > GIVE_UP_MS) return elapsed;
    await sleep(BETWEEN_MS);
  }
}

module.exports = { measureRecovery };
