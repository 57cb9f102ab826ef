// @ts-check
'use strict';
const { createContenders, OURS } = require('./contenders.js');
const { toTables } = require('./tables.js');
const { inRounds } = require('../in-rounds.js');
const { withPostgres } = require('../postgres.js');
const { assertRows } = require('../rows.js');
const { median } = require('../statistics.js');
const { withFolder } = require('../with-folder.js');
const { withServers } = require('../with-servers.js');

/** @typedef {import('../with-servers.js').Result} Result */
/** @typedef {{ name: string, kind: string, results: Result[] }} Row */
/** @typedef {{ connections: number, rows: Row[] }} Group */
/** @typedef {{ connections: number, rate: number, results: Result[] }} Paced */

/** Creations of plants, each on disk before its reply. @type {import('../parts.js').Measure} */
async function measureDurable(options, tell) {
  tell('start PostgreSQL');
  return withFolder((folder) =>
    withPostgres(async (postgres) => {
      const contenders = await createContenders(folder, postgres);
      return withServers({ contenders, tell }, async (servers) => {
        const groups = await loadAll(servers, contenders, options, tell);
        const paced = await pace(servers, groups, options, tell);
        for (const [place, { name, count }] of contenders.entries()) {
          tell(`count the rows of ${name}`);
          assertRows(name, await count(), servers[place]?.replies() ?? NaN);
        }
        return { ...toTables(groups, paced), data: { groups, paced } };
      });
    }),
  );
}

/**
 * @param {import('../with-servers.js').Server[]} servers
 * @param {import('./contenders.js').Durable[]} contenders
 * @param {import('../options.js').Options} options
 * @param {(step: string) => void} tell
 */
async function loadAll(servers, contenders, { rounds, seconds, connections: all, warmUp }, tell) {
  /** @type {Group[]} */
  const groups = [];
  for (const connections of all) {
    const told = (/** @type {string} */ step) => tell(`${String(connections)} connections, ${step}`);
    const rows = await inRounds({ rounds, tell: told }, servers, {
      warmUp: ({ load }) => load({ connections, seconds: warmUp }),
      measure: ({ load }) => load({ connections, seconds }),
    });
    groups.push({ connections, rows: rows.map((row, place) => ({ ...row, kind: contenders[place]?.kind ?? '' })) });
  }
  return groups;
}

/**
 * Ours at half of what it can do.
 *
 * @param {import('../with-servers.js').Server[]} servers
 * @param {Group[]} groups
 * @param {import('../options.js').Options} options
 * @param {(step: string) => void} tell
 */
async function pace(servers, groups, { rounds, seconds }, tell) {
  const ours = servers.filter(({ name }) => name === OURS);
  /** @type {Paced[]} */
  const paced = [];
  for (const { connections, rows } of groups) {
    const speeds = rows.find(({ name }) => name === OURS)?.results.map(({ requestsPerSecond }) => requestsPerSecond);
    const rate = Math.round(median(speeds ?? []) / 2);
    const told = (/** @type {string} */ step) => tell(`${String(rate)} a second, ${step}`);
    const [row] = await inRounds({ rounds, tell: told }, ours, {
      warmUp: () => Promise.resolve(),
      measure: ({ load }) => load({ connections, seconds, rate }),
    });
    paced.push({ connections, rate, results: row?.results ?? [] });
  }
  return paced;
}

module.exports = { measureDurable };
