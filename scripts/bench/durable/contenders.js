// @ts-check
'use strict';
const { join } = require('node:path');
const { countSqlite, QUERY, readPostgres } = require('../rows.js');

/** @typedef {import('../with-servers.js').Contender & { kind: 'ours' | 'rival' | 'limit', count: () => Promise<import('../rows.js').Rows> }} Durable */

const OURS = 'ours, SQLite';
const LIMIT = 'node:http, our store';

/**
 * @param {string} folder for databases
 * @param {Parameters<Parameters<import('../postgres.js').withPostgres>[0]>[0]} postgres
 * @returns {Promise<Durable[]>}
 */
async function createContenders(folder, postgres) {
  /** @param {string} name @param {Durable['kind']} kind @param {string[]} command */
  function withSqlite(name, kind, [script = '', ...args]) {
    const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.db`);
    const enforces = kind !== 'limit';
    const count = () => Promise.resolve(countSqlite(file));
    return { name, kind, script, args: [...args, '--database', file], enforces, count };
  }

  /** @param {string} name @param {string[]} command */
  async function withPostgres(name, [script = '', ...args]) {
    const { url, query } = await postgres.createDatabase();
    const count = async () => readPostgres(await query(QUERY));
    const kind = /** @type {const} */ ('ours');
    return { name, kind, script, args: [...args, '--database', url], count, databaseCpu: postgres.cpu };
  }

  return [
    withSqlite(OURS, 'ours', ['ours', '--store', 'sqlite']),
    withSqlite('ours, SQLite, no thread', 'ours', ['ours', '--store', 'sqlite-main']),
    withSqlite('ours, SQLite, 2 processes', 'ours', ['cluster', '2', 'ours', '--store', 'sqlite']),
    await withPostgres('ours, PostgreSQL', ['ours', '--store', 'postgres']),
    await withPostgres('ours, PostgreSQL, 2 processes', ['cluster', '2', 'ours', '--store', 'postgres']),
    withSqlite('eov documented', 'rival', ['eov-documented', '--store', 'insert']),
    withSqlite('fastify-openapi-glue', 'rival', ['fastify-openapi-glue', '--store', 'insert']),
    withSqlite('openapi-backend', 'rival', ['openapi-backend', '--store', 'insert']),
    withSqlite(LIMIT, 'limit', ['node-http', '--store', 'sqlite']),
  ];
}

module.exports = { createContenders, LIMIT, OURS };
