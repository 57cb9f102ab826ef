// @ts-check
'use strict';
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { checkOperations } = require('./check.js');
const { makeContract } = require('./make-contract.js');
const { measureStartUp } = require('./start-up.js');
const { toTables } = require('./tables.js');
const { toTexts } = require('./texts.js');
const { inRounds } = require('../in-rounds.js');
const { withFolder } = require('../with-folder.js');
const { withServers } = require('../with-servers.js');

/** @typedef {import('../with-servers.js').Contender & { args: string[], count: number }} Contender */
/** @typedef {{ server: string, count: number }} Key */
/** @typedef {Key & { name: string, results: import('../with-servers.js').Result[] }} Row */
/** @typedef {Key & { name: string, results: import('./start-up.js').StartUp[] }} StartUpRow */

const SERVERS = ['ours', 'eov documented', 'fastify-openapi-glue'];
const COUNTS = [1, 100, 500];
// Each operation has code of its own, which gets a twentieth of the requests: it takes longer to be optimized.
const LONGER = 4;

/** Whether a request, a start and memory cost more the more operations there are. @type {import('../parts.js').Measure} */
function measureOperations({ rounds, seconds, connections: [connections = 32], warmUp }, tell) {
  return withFolder(async (folder) => {
    const contenders = COUNTS.flatMap((count) => createContenders(folder, count));
    const toKey = (/** @type {number} */ place) => ({
      server: SERVERS[place % SERVERS.length] ?? '',
      count: contenders[place]?.count ?? NaN,
    });
    const told = (/** @type {string} */ step) => tell(`start, ${step}`);
    const starts = await inRounds({ rounds, tell: told }, contenders, {
      warmUp: () => Promise.resolve(),
      measure: measureStartUp,
    });
    const loaded = await withServers({ contenders, tell }, (servers) => {
      const load = (/** @type {number} */ place, /** @type {number} */ duration) =>
        servers[place]?.load({ connections, seconds: duration, texts: toTexts(contenders[place]?.count ?? 0) });
      const numbered = servers.map(({ name }, place) => ({ name, place }));
      return inRounds({ rounds, tell }, numbered, {
        warmUp: ({ place }) => load(place, LONGER * warmUp) ?? Promise.resolve(),
        measure: ({ place }) => /** @type {Promise<import('../with-servers.js').Result>} */ (load(place, seconds)),
      });
    });
    const startRows = starts.map((row, place) => ({ ...row, ...toKey(place) }));
    const rows = loaded.map((row, place) => ({ ...row, ...toKey(place) }));
    return {
      ...toTables(rows, startRows, connections),
      load: `several operations in turn, rounds: ${String(rounds)}, seconds each: ${String(seconds)}`,
      data: { loaded: rows, starts: startRows },
    };
  });
}

/** @param {string} folder @param {number} count @returns {Contender[]} */
function createContenders(folder, count) {
  const file = join(folder, `${String(count)}.yaml`);
  writeFileSync(file, makeContract(count));
  return SERVERS.map((server) => {
    const name = `${server}, ${String(count)}`;
    const args = ['--contract', file, '--operations', String(count)];
    const check = (/** @type {number} */ port) => checkOperations(name, port, count);
    return { name, count, script: `operations/${server.replace(' ', '-')}`, args, check };
  });
}

module.exports = { measureOperations };
