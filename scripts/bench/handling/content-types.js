// @ts-check
'use strict';
const { Agent } = require('node:http');
const { start } = require('../child.js');
const { request } = require('../load/request.js');
const { HEADERS } = require('../workload.js');

const REQUESTS = 3_000;
const AT_ONCE = 8;
const GIVE_UP_MS = 300_000;
const MB = 1024 ** 2;

/** @typedef {{ name: string, rss: number, heapUsed: number, statuses: string }} Growth */

/**
 * What clients can make a server keep: each request spells its Content-Type in a way of its own.
 *
 * @param {(step: string) => void} tell
 * @returns {Promise<Growth[]>} in MB
 */
async function measureContentTypes(tell) {
  const growths = [];
  for (const [name, script] of [
    ['ours', './servers/ours.js'],
    ['eov documented', './servers/eov-documented.js'],
  ]) {
    tell(`memory: ${name}`);
    growths.push(await measureOne(/** @type {string} */ (name), /** @type {string} */ (script)));
  }
  return growths;
}

/** @param {string} name @param {string} script @returns {Promise<Growth>} */
async function measureOne(name, script) {
  const server = await start(script, { execArgv: ['--expose-gc'] });
  try {
    const { port } = server.hello;
    await send(port, () => 'application/json');
    const before = await server.ask('usage');
    const statuses = await send(port, (x) => `application/json; x=${String(x)}`);
    const after = await server.ask('usage');
    return {
      name,
      rss: (after.rss - before.rss) / MB,
      heapUsed: (after.heapUsed - before.heapUsed) / MB,
      statuses: [...statuses].map(([status, count]) => `${String(count)} x ${String(status)}`).join(', '),
    };
  } finally {
    await server.stop();
  }
}

/** @param {number} port @param {(x: number) => string} toContentType */
async function send(port, toContentType) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const statuses = new Map();
  const end = Date.now() + GIVE_UP_MS;
  let next = 0;
  async function client() {
    while (next < REQUESTS) {
      if (Date.now() > end) throw new Error(`${String(REQUESTS)} requests took too long`);
      const headers = { ...HEADERS, 'content-type': toContentType(next++) };
      const { status } = await request(port, { headers, agent });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client)).finally(() => agent.destroy());
  return statuses;
}

module.exports = { measureContentTypes };
