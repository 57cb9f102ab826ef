'use strict';
const { DatabaseSync } = require('node:sqlite');
const { join } = require('node:path');
const { withPostgres } = require('../postgres.js');
const { median, THROUGHPUT, toMicroseconds, toNotes, toRatio, toRow, toSpeeds } = require('../statistics.js');
const { inRounds, withFolder, withServers } = require('../with-servers.js');

const LIMIT = 'node:http, our store';
const RIVALS = ['eov documented', 'fastify-openapi-glue'];
const QUERY = 'SELECT count(*) AS "all", count(DISTINCT id) AS "distinct" FROM plants';

/** Creations of plants, each on disk before its reply. */
async function measureDurable({ rounds, seconds, connections: all }, tell) {
  tell('start PostgreSQL');
  return withFolder((folder) =>
    withPostgres(async (postgres) => {
      const contenders = await createContenders(folder, postgres);
      return withServers({ contenders, tell }, async (servers) => {
        const tables = [];
        for (const connections of all) {
          const told = (step) => tell(`${connections} connections, ${step}`);
          const rows = await inRounds({ rounds, tell: told }, servers, {
            warmUp: ({ load }) => load({ connections, seconds: 2 }),
            measure: ({ load }) => load({ connections, seconds }),
          });
          tables.push(toTable(connections, rows));
        }
        for (const [place, { name, count }] of contenders.entries()) {
          assertRows(name, await count(), servers[place].replies());
        }
        return tables;
      });
    }),
  );
}

async function createContenders(folder, postgres) {
  function ofSqlite(name, [script, ...args], enforces = true) {
    const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.db`);
    return { name, script, args: [...args, '--database', file], enforces, count: () => countSqlite(file) };
  }

  async function ofPostgres(name, [script, ...args]) {
    const { url, query } = await postgres.createDatabase();
    const count = async () => (await query(QUERY))[0];
    return { name, script, args: [...args, '--database', url], count, databaseCpu: postgres.cpu };
  }

  return [
    ofSqlite('ours, SQLite', ['ours', '--store', 'sqlite']),
    ofSqlite('ours, SQLite, 2 processes', ['cluster', '2', 'ours', '--store', 'sqlite']),
    await ofPostgres('ours, PostgreSQL', ['ours', '--store', 'postgres']),
    await ofPostgres('ours, PostgreSQL, 2 processes', ['cluster', '2', 'ours', '--store', 'postgres']),
    ...RIVALS.map((name) => ofSqlite(name, [name.replace(' ', '-'), '--store', 'insert'])),
    ofSqlite(LIMIT, ['node-http', '--store', 'sqlite'], false),
  ];
}

function countSqlite(file) {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(QUERY).get();
  } finally {
    database.close();
  }
}

/** A server that loses or doubles plants has not been measured. */
function assertRows(name, { all, distinct }, replies) {
  // Numbers of PostgreSQL come as text.
  if (Number(all) === replies && Number(distinct) === replies) return;
  throw new Error(`${name}: ${replies} replies, but ${all} rows with ${distinct} ids`);
}

function toTable(connections, rows) {
  const speedOf = (wanted) => median(toSpeeds(rows.find(({ name }) => name === wanted).results));
  const [rival] = RIVALS.toSorted((a, b) => speedOf(b) - speedOf(a));
  return {
    title: `Durable creations, ${connections} connections`,
    head: ['server', 'creations/s', 'min-max', '/ best rival', '/ node:http', ...THROUGHPUT, 'database us'],
    rows: rows.map((row) => [
      ...toRow(row, [toRatio(rows, row, rival), toRatio(rows, row, LIMIT)]),
      row.name.includes('PostgreSQL') ? toMicroseconds(row.results, 'databaseCpu') : '-',
    ]),
    notes: [
      `best rival: ${rival}; each rival commits every request by itself`,
      `node:http: the row ${LIMIT}`,
      ...toNotes(rows),
      'database us: processor time of the processes of PostgreSQL, which CPU us does not count',
      'every table had exactly the rows that were acknowledged',
    ],
  };
}

module.exports = { measureDurable };
