'use strict';
const { join } = require('node:path');
const { DatabaseSync } = require('node:sqlite');
const { median, THROUGHPUT, toNotes, toRatio, toRow, toSpeeds } = require('../statistics.js');
const { loadInRounds, makeFolder, startServers } = require('../start-servers.js');

const LIMIT = 'node:http, our store';
const RIVALS = ['eov documented', 'fastify-openapi-glue'];
const GROUPED = 'fastify-openapi-glue, grouped';
const QUERY = 'SELECT count(*) AS "all", count(DISTINCT id) AS "distinct" FROM plants';

/** Creations of plants, each on disk before its reply. */
async function measureDurable({ connections: all, tell, ...options }) {
  tell('start PostgreSQL');
  using folder = makeFolder();
  const { startPostgres } = await import('@contract-kit/test-support/start-postgres');
  // With the defaults it comes with.
  await using postgres = await startPostgres();
  const contenders = await createContenders(folder.path, postgres);
  await using started = await startServers(contenders, tell);
  const tables = [];
  for (const connections of all) {
    const told = (step) => tell(`${connections} connections, ${step}`);
    const rows = await loadInRounds({ ...options, tell: told }, started.servers, { connections });
    tables.push(toTable(connections, rows));
  }
  for (const [place, { name, count }] of contenders.entries()) {
    assertRows(name, await count(), started.servers[place].replies());
  }
  return tables;
}

async function createContenders(folder, postgres) {
  function ofSqlite(name, [script, ...args], enforces = true) {
    const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.db`);
    return { name, script, args: [...args, '--database', file], enforces, count: () => countSqlite(file) };
  }

  async function ofPostgres(name, [script, ...args]) {
    const { url, query } = await postgres.createDatabase();
    return { name, script, args: [...args, '--database', url], count: async () => (await query(QUERY))[0] };
  }

  return [
    ofSqlite('ours, SQLite', ['ours', '--store', 'sqlite']),
    ofSqlite('ours, SQLite, 2 processes', ['cluster', '2', 'ours', '--store', 'sqlite']),
    await ofPostgres('ours, PostgreSQL', ['ours', '--store', 'postgres']),
    await ofPostgres('ours, PostgreSQL, 2 processes', ['cluster', '2', 'ours', '--store', 'postgres']),
    ...RIVALS.map((name) => ofSqlite(name, [name.replace(' ', '-'), '--store', 'insert'])),
    ofSqlite(GROUPED, ['fastify-openapi-glue', '--store', 'grouped']),
    ofSqlite(LIMIT, ['node-http', '--store', 'sqlite'], false),
  ];
}

function countSqlite(file) {
  using database = new DatabaseSync(file, { readOnly: true });
  return database.prepare(QUERY).get();
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
    head: ['server', 'creations/s', 'min-max', '/ one by one', '/ grouped', '/ node:http', ...THROUGHPUT],
    rows: rows.map((row) =>
      toRow(
        row,
        [rival, GROUPED, LIMIT].map((other) => toRatio(rows, row, other)),
      ),
    ),
    notes: [
      `one by one: ${rival}, the best of the rivals that commit each request by itself`,
      `grouped: ${GROUPED}, which commits together what came in one turn of its event loop`,
      `node:http: this compares with the row ${LIMIT}`,
      ...toNotes(rows),
      'afterwards, every table had exactly the rows that had been acknowledged',
    ],
  };
}

module.exports = { measureDurable };
