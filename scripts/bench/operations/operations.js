// @ts-check
'use strict';
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { checkOperations } = require('./check.js');
const { makeContract } = require('./make-contract.js');
const { measureStartUp } = require('./start-up.js');
const { toTables } = require('./tables.js');
const { MOST, toTexts } = require('./texts.js');
const { inRounds } = require('../in-rounds.js');
const { withFolder } = require('../with-folder.js');
const { withServers } = require('../with-servers.js');

/** @typedef {{ server: string, count: number }} Key */
/** @typedef {import('../with-servers.js').Contender & Key & { args: string[] }} Contender */
/** @typedef {Key & { name: string, several: number, results: import('../with-servers.js').Result[] }} Row */
/** @typedef {Key & { name: string, results: import('./start-up.js').StartUp[] }} StartUpRow */

const SERVERS = ['ours', 'eov documented', 'fastify-openapi-glue'];
const COUNTS = [1, 100, 500];
const CONNECTIONS = 32;
// How many of the operations are asked in turn.
const SEVERAL = [1, MOST];
// Each operation has code of its own, which gets a twentieth of the requests: it takes longer to be optimized.
const LONGER = 4;

/** Whether a request, a start and memory cost more the more operations there are. @type {import('../parts.js').Measure} */
function measureOperations(options, tell) {
  return withFolder(async (folder) => {
    const contenders = COUNTS.flatMap((count) => createContenders(folder, count));
    const started = await inRounds({ rounds: options.rounds, tell: (step) => tell(`start, ${step}`) }, contenders, {
      warmUp: () => Promise.resolve(),
      measure: measureStartUp,
    });
    const starts = contenders.map(({ server, count }, place) => ({
      server,
      count,
      .../** @type {any} */ (started[place]),
    }));
    const loads = await loadAll(contenders, options, tell);
    return {
      ...toTables(loads, starts, options.connections[0] ?? CONNECTIONS),
      load: `one operation, and several in turn, rounds: ${String(options.rounds)}, seconds each: ${String(options.seconds)}`,
      data: { loads, starts },
    };
  });
}

/**
 * @param {Contender[]} contenders
 * @param {import('../options.js').Options} options
 * @param {(step: string) => void} tell
 * @returns {Promise<Row[]>}
 */
async function loadAll(contenders, { rounds, seconds, connections: [connections = CONNECTIONS], warmUp }, tell) {
  return withServers({ contenders, tell }, async (servers) => {
    const loads = contenders.flatMap(({ name, server, count }, place) =>
      SEVERAL.filter((several) => several <= count).map((several) => ({
        ...{ server, count, several, place, texts: toTexts(count, several) },
        name: several === 1 ? name : `${name}, ${String(several)} in turn`,
      })),
    );
    const load = (/** @type {(typeof loads)[0]} */ { place, texts }, /** @type {number} */ duration) =>
      /** @type {import('../with-servers.js').Server} */ (servers[place]).load({
        connections,
        seconds: duration,
        texts,
      });
    const rows = await inRounds({ rounds, tell }, loads, {
      warmUp: (one) => load(one, LONGER * warmUp),
      measure: (one) => load(one, seconds),
    });
    return loads.map(({ name, server, count, several }, place) => ({
      ...{ name, server, count, several },
      results: rows[place]?.results ?? [],
    }));
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
    return { name, server, count, script: `operations/${server.replace(' ', '-')}`, args, check };
  });
}

module.exports = { measureOperations };
