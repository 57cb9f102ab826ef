// @ts-check
'use strict';
const { join } = require('node:path');
const { watchResident } = require('./resident.js');
const { measureSlow } = require('./slow.js');
const { toFloodTables, toSlowTable } = require('./tables.js');
const { toTargets } = require('./targets.js');
const { start } = require('../child.js');
const { inRounds } = require('../in-rounds.js');
const { assertRows, countSqlite } = require('../rows.js');
const { withFolder } = require('../with-folder.js');
const { withServers } = require('../with-servers.js');

/** @typedef {{ most: number, rate: number, flood: import('../load/flood.js').Flood, resident: import('./resident.js').Resident }} Result */
/** @typedef {{ name: string, results: Result[] }} Row */

const USUAL = 64;
const TIMES = 3;
// Queues need longer to show than speeds do.
const LONGER = 3;
// As many may wait at once, which is what bounds the generator; more than ours serves within what its guard allows.
const CONNECTIONS = 2048;
// Ids that no other load uses, and so many for each flood.
const [FIRST_ID, IDS] = [2e15, 1e9];

/** What becomes of a server that gets more than it can do. @type {import('../parts.js').Measure} */
function measureOverload(options, tell) {
  return withFolder(async (folder) => {
    const file = (/** @type {string} */ name) => join(folder, `${name}.db`);
    const stored = (/** @type {string} */ store) => ['--store', store, '--database', file(store)];
    const contenders = [
      { name: 'ours, SQLite, guard', script: 'ours', args: ['--guard', ...stored('sqlite')], store: 'sqlite' },
      { name: 'eov documented', script: 'eov-documented', args: stored('insert'), store: 'insert' },
    ];
    return withServers({ contenders, tell }, async (servers) => {
      const floods = await floodAll(servers, options, tell);
      const slow = await measureSlow(servers, options, tell);
      for (const [place, { name, store }] of contenders.entries()) {
        const accepted = floods[place]?.results.reduce((sum, { flood }) => sum + flood.accepted, 0) ?? NaN;
        assertRows(name, countSqlite(file(store)), (servers[place]?.replies() ?? NaN) + accepted);
      }
      const tables = [...toFloodTables(floods, { times: TIMES, connections: CONNECTIONS }), toSlowTable(slow)];
      return { tables, targets: toTargets(floods, slow), data: { floods, slow } };
    });
  });
}

/**
 * First what it can do, then more.
 *
 * @param {import('../with-servers.js').Server[]} servers
 * @param {import('../options.js').Options} options
 * @param {(step: string) => void} tell
 * @returns {Promise<Row[]>}
 */
async function floodAll(servers, { rounds, seconds, warmUp }, tell) {
  const generator = await start('./load/flood.js');
  let first = FIRST_ID;
  try {
    return await inRounds({ rounds, tell }, servers, {
      warmUp: ({ load }) => load({ connections: USUAL, seconds: warmUp }),
      async measure({ name, port, pid, load }) {
        const { requestsPerSecond: most } = await load({ connections: USUAL, seconds });
        const rate = Math.round(TIMES * most);
        const order = { port, connections: CONNECTIONS, rate, seconds: LONGER * seconds, ids: { first } };
        first += IDS;
        const { result: flood, resident } = await watchResident(pid, () => generator.ask(order, 120_000));
        if ('problem' in flood) throw new Error(`${name}: ${flood.problem}`);
        return { most, rate, flood, resident };
      },
    });
  } finally {
    await generator.stop();
  }
}

module.exports = { measureOverload };
