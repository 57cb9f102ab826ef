// @ts-check
'use strict';
const { join } = require('node:path');
const { start } = require('../child.js');
const { inRounds } = require('../in-rounds.js');
const { assertRows, countSqlite } = require('../rows.js');
const { median, medianRatio, range } = require('../statistics.js');
const { withFolder } = require('../with-folder.js');
const { FIRST_ID, serverMicroseconds, withServers } = require('../with-servers.js');

/** @typedef {'sequential' | 'random'} Order */
/** @typedef {{ name: string, rows: number, ids: Order, results: import('../with-servers.js').Result[] }} Row */

const CONNECTIONS = 32;
const PREFILL_MS = 30 * 60_000;
const TOLERANCE = 0.1;

/** Whether a creation costs more the more plants there are. @type {import('../parts.js').Measure} */
async function measureGrowth(options, tell) {
  const groups = [await measureOrder('sequential', options, tell), await measureOrder('random', options, tell)];
  return {
    tables: groups.map(toTable),
    targets: groups.map((rows) => {
      const [empty, largest] = [rows[0], rows.at(-1)].map((row) => row?.results.map(serverMicroseconds) ?? []);
      const value = medianRatio(largest ?? [], empty ?? []);
      const what = `CPU of a creation, ${String(rows.at(-1)?.rows)} rows / none, ids ${String(rows[0]?.ids)}, at most ${String(1 + TOLERANCE)}`;
      return { what, value: value.toFixed(3), isMet: value <= 1 + TOLERANCE };
    }),
    data: groups,
  };
}

/**
 * @param {Order} ids
 * @param {import('../options.js').Options} options
 * @param {(step: string) => void} tell
 * @returns {Promise<Row[]>}
 */
function measureOrder(ids, { rounds, seconds, rows: most, warmUp }, tell) {
  return withFolder(async (folder) => {
    const sizes = [0, Math.ceil(most / 10), most].map((rows) => ({ rows, file: join(folder, `${String(rows)}.db`) }));
    const contenders = [];
    for (const { rows, file } of sizes) {
      tell(`make ${String(rows)} rows, ids ${ids}`);
      await prefill({ file, rows, ids: ids === 'random' ? ids : { first: FIRST_ID } });
      const args = ['--store', 'sqlite', '--database', file];
      contenders.push({ name: `${String(rows)} rows, ids ${ids}`, script: 'ours', args, firstId: FIRST_ID + rows });
    }
    return withServers({ contenders, tell }, async (servers) => {
      const order = { connections: CONNECTIONS, ...(ids === 'random' ? { ids } : {}) };
      const loaded = await inRounds({ rounds, tell }, servers, {
        warmUp: ({ load }) => load({ ...order, seconds: warmUp }),
        measure: ({ load }) => load({ ...order, seconds }),
      });
      for (const [place, { rows, file }] of sizes.entries()) {
        const { name = '', replies = () => NaN } = servers[place] ?? {};
        tell(`count the rows of ${name}`);
        assertRows(name, countSqlite(file), rows + replies());
      }
      return loaded.map((row, place) => ({ ...row, ids, rows: sizes[place]?.rows ?? NaN }));
    });
  });
}

/** In a process of its own, whose memory is given back. @param {object} order */
async function prefill(order) {
  const child = await start('./growth/prefill.js');
  await child.ask(order, PREFILL_MS).finally(() => child.stop());
}

/** @param {Row[]} rows @returns {import('../parts.js').Table} */
function toTable(rows) {
  const speeds = (/** @type {Row | undefined} */ row) => row?.results.map((result) => result.requestsPerSecond) ?? [];
  return {
    title: `Growth, ids ${String(rows[0]?.ids)}, ours with SQLite`,
    head: ['rows', 'creations/s', 'min-max', '/ empty', 'p99 ms', 'CPU us', '/ empty'],
    rows: rows.map((row) => {
      const [speed, costs] = [range(speeds(row)), row.results.map(serverMicroseconds)];
      return [
        String(row.rows),
        speed.median.toFixed(0),
        `${speed.min.toFixed(0)}-${speed.max.toFixed(0)}`,
        medianRatio(speeds(row), speeds(rows[0])).toFixed(2),
        median(row.results.map(({ p99 }) => p99)).toFixed(2),
        median(costs).toFixed(1),
        medianRatio(costs, rows[0]?.results.map(serverMicroseconds) ?? []).toFixed(2),
      ];
    }),
    notes: [`${String(CONNECTIONS)} connections; three servers at once on three files, loaded in turn`],
  };
}

module.exports = { measureGrowth };
