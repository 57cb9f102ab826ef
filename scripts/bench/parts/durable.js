'use strict';
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { DatabaseSync } = require('node:sqlite');
const { median, THROUGHPUT, toMicroseconds, toNotes, toRatio, toRow, toSpeeds } = require('../statistics.js');
const { inRounds, withFolder, withServers } = require('../with-servers.js');

const LIMIT = 'node:http, our store';
const RIVALS = ['eov documented', 'fastify-openapi-glue'];
const QUERY = 'SELECT count(*) AS "all", count(DISTINCT id) AS "distinct" FROM plants';
// Of /proc/PID/stat, counted from what follows the name, which may contain anything.
const PARENT = 1;
const TIMES = { user: 11, system: 12, userOfEnded: 13, systemOfEnded: 14 };
const MICROSECONDS_A_TICK = 10_000;

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

/** A PostgreSQL of its own, with the defaults it comes with. */
async function withPostgres(use) {
  const { startPostgres } = await import('../../../tests/support/start-postgres.ts');
  const postgres = await startPostgres();
  try {
    const [pid = ''] = readFileSync(join(postgres.folder, 'postmaster.pid'), 'utf8').split('\n');
    return await use({ createDatabase: () => postgres.createDatabase(), cpu: () => cpuOfFamily(pid) });
  } finally {
    await postgres[Symbol.asyncDispose]();
  }
}

/** Of a process and its children, also those that ended; 0 on systems without /proc. */
function cpuOfFamily(pid) {
  const cpu = { user: 0, system: 0 };
  for (const entry of readQuietly(() => readdirSync('/proc'), [])) {
    const text = readQuietly(() => readFileSync(`/proc/${entry}/stat`, 'utf8'), '');
    const stat = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (entry !== pid && stat[PARENT] !== pid) continue;
    cpu.user += (Number(stat[TIMES.user]) + Number(stat[TIMES.userOfEnded])) * MICROSECONDS_A_TICK;
    cpu.system += (Number(stat[TIMES.system]) + Number(stat[TIMES.systemOfEnded])) * MICROSECONDS_A_TICK;
  }
  return cpu;
}

// A process may end at any time.
function readQuietly(read, otherwise) {
  try {
    return read();
  } catch {
    return otherwise;
  }
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
