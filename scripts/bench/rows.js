// @ts-check
'use strict';
const { DatabaseSync } = require('node:sqlite');

/** Of a table, all and those with another id. @typedef {{ all: number, distinct: number }} Rows */

const QUERY = 'SELECT count(*) AS "all", count(DISTINCT id) AS "distinct" FROM plants';

/** @param {string} file @returns {Rows} */
function countSqlite(file) {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return /** @type {any} */ (database.prepare(QUERY).get());
  } finally {
    database.close();
  }
}

/** Numbers come as text. @param {Record<string, unknown>[]} answer @returns {Rows} */
function readPostgres([row]) {
  return { all: Number(row?.['all']), distinct: Number(row?.['distinct']) };
}

/** A server that loses or doubles plants has not been measured. @param {string} name @param {Rows} rows @param {number} replies */
function assertRows(name, { all, distinct }, replies) {
  if (all === replies && distinct === replies) return;
  throw new Error(`${name}: ${String(replies)} replies, but ${String(all)} rows with ${String(distinct)} ids`);
}

module.exports = { assertRows, countSqlite, QUERY, readPostgres };
