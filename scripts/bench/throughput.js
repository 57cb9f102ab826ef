// @ts-check
'use strict';
const { closeSync, mkdtempSync, openSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { check } = require('./check.js');
const { start } = require('./child.js');
const { spent, watchProcessors } = require('./processor.js');

/** @typedef {import('./load.js').Load} Load */
/** @typedef {Load & { serverCpu: import('./processor.js').Cpu, others: number }} Result */
/** @typedef {{ name: string, script: string, args: string[], enforces: boolean }} Rival */
/** @typedef {Rival & import('./child.js').Child & { hello: any, results: Result[] }} Running */

/** @type {Rival[]} */
const RIVALS = [
  { name: 'ours', script: 'ours', args: [], enforces: true },
  { name: 'ours, logging', script: 'ours', args: ['--logging'], enforces: true },
  { name: 'eov documented', script: 'eov-documented', args: [], enforces: true },
  { name: 'bare express', script: 'bare-express', args: [], enforces: false },
  { name: 'fastify-openapi-glue', script: 'fastify-openapi-glue', args: [], enforces: true },
  { name: 'node:http', script: 'node-http', args: [], enforces: false },
];

/**
 * Loads each server in turn, again and again, so that whatever slows the machine down for a while meets them all.
 *
 * @param {import('./options.js').Options} options
 * @param {(step: string) => void} tell
 * @returns {Promise<{ name: string, results: Result[] }[]>}
 */
async function measureThroughput({ rounds, seconds, connections, warmUp }, tell) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  // What is logged goes to a file, as it would behind a service manager.
  const stdout = openSync(join(folder, 'stdout'), 'a');
  /** @type {Running[]} */
  const servers = [];
  const generator = await start('./load.js');
  try {
    for (const rival of RIVALS) {
      tell(`start ${rival.name}`);
      const server = await start(`./servers/${rival.script}.js`, { args: rival.args, stdout });
      servers.push({ ...rival, ...server, results: [] });
      await check(rival.name, server.hello.port, rival.enforces);
    }

    /** @param {Running} server @param {number} duration @returns {Promise<Result>} */
    async function load({ name, hello, ask }, duration) {
      const before = await ask('usage');
      const toOthers = watchProcessors();
      const order = { port: hello.port, seconds: duration, connections };
      const answer = await generator.ask(order, (duration + 15) * 1000);
      if ('problem' in answer) throw new Error(`${name}: ${answer.problem}`);
      const serverCpu = spent(before, await ask('usage'));
      return { ...answer, serverCpu, others: toOthers([answer.cpu, serverCpu]) };
    }

    for (let round = 1; round <= rounds; round++) {
      for (const server of servers) {
        tell(`round ${String(round)} of ${String(rounds)}: ${server.name}`);
        if (round === 1) await load(server, warmUp);
        server.results.push(await load(server, seconds));
      }
    }
    return servers.map(({ name, results }) => ({ name, results }));
  } finally {
    await Promise.all([generator, ...servers].map(({ stop }) => stop()));
    closeSync(stdout);
    rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { measureThroughput };
