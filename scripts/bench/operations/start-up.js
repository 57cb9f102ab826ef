// @ts-check
'use strict';
const { performance } = require('node:perf_hooks');
const { toTexts } = require('./texts.js');
const { start } = require('../child.js');
const { request } = require('../load/request.js');

const MB = 1024 ** 2;

/** @typedef {{ milliseconds: number, rss: number }} StartUp from spawning the process to its first 200, and MB then */

/**
 * @param {import('./operations.js').Contender} contender
 * @returns {Promise<StartUp>}
 */
async function measureStartUp({ name, script, args, count }) {
  const [text] = toTexts(count, 1);
  const begin = performance.now();
  const server = await start(`./servers/${script}.js`, { args });
  try {
    const { status } = await request(server.hello.port, text);
    const milliseconds = performance.now() - begin;
    if (status !== 200) throw new Error(`${name}: the first reply was ${String(status)}`);
    const { rss } = await server.ask('usage');
    return { milliseconds, rss: rss / MB };
  } finally {
    await server.stop();
  }
}

module.exports = { measureStartUp };
