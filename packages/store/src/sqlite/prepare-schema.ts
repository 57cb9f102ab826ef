// A test runs this file in threads: it may import only Node's modules, and files like this one by their full names.
import { DatabaseSync } from 'node:sqlite';
import type { AnySchema } from '../schema.ts';
import { findStep, type Step, type Version } from '../version.ts';
import { BUSY_TIMEOUT_MS, createCommit } from './commit.ts';
import { makeFile } from './make-file.ts';

/** A result code of SQLite. */
const BUSY = 5;

/** The SQL that stores a row, for each table. */
export function toInserts({ tables }: AnySchema): string[] {
  return Object.entries(tables).map(
    ([
      table,
      {
        sqlite: { columns, key },
      },
    ]) => {
      const values = columns.map(() => '?').join(', ');
      // Ignore only a conflict with the same key: with an index that was added later, other rows may conflict.
      return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values}) ON CONFLICT (${key.join(', ')}) DO NOTHING`;
    },
  );
}

/**
 * Creates the database file, with its folder, if it is missing, and makes or migrates its tables. Any number of servers
 * may do so at the same time.
 *
 * @throws Error when the file cannot be used; it is not changed then
 */
export function prepareSchema(file: string, schema: AnySchema): void {
  makeFile(file);
  // Without foreign keys a migration can make a table anew: dropping the old one would delete what refers to it.
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false });
  try {
    migrate(database, schema);
    createCommit(database, toInserts(schema));
    useWriteAheadLog(database);
  } finally {
    database.close();
  }
}

function migrate(database: DatabaseSync, schema: AnySchema): void {
  for (;;) {
    // IMMEDIATE: fails here if the file is read-only, and only one of two starting servers makes a migration.
    database.exec('BEGIN IMMEDIATE');
    const step = findStep(schema, readVersion(database, schema));
    assertKeeping(database, schema);
    if (step === undefined) {
      // An empty COMMIT would still wait for readers.
      database.exec('ROLLBACK');
      return;
    }
    makeStep(database, step, schema);
  }
}

function makeStep(database: DatabaseSync, { sqlite, made, oldest }: Step, { id, versionTable }: AnySchema): void {
  database.exec(sqlite);
  if (!database.isTransaction) throw new Error('a migration may not end its transaction');
  assertReferences(database);
  database.exec(`PRAGMA application_id = ${String(id)}; PRAGMA user_version = ${String(oldest)}`);
  // The first release has no table of versions, so the first migration makes none.
  if (made > 1) {
    database.exec(`CREATE TABLE IF NOT EXISTS ${versionTable} (migrations INTEGER NOT NULL) STRICT;
      DELETE FROM ${versionTable}; INSERT INTO ${versionTable} VALUES (${String(made)})`);
  }
  database.exec('COMMIT');
}

/** @returns undefined for a new file */
function readVersion(database: DatabaseSync, { id, versionTable }: AnySchema): Version | undefined {
  const application = readPragma(database, 'application_id');
  const oldest = readPragma(database, 'user_version');
  if (application === 0 && database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) return undefined;
  if (application !== id) throw new Error('it belongs to another application');
  const table = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(versionTable);
  const made = table && database.prepare(`SELECT migrations FROM ${versionTable}`).get()?.['migrations'];
  return { oldest, made: Number(made ?? oldest) };
}

// A view or trigger may change or drop acknowledged rows. A trigger has the table's name in the case of its definition.
function assertKeeping(database: DatabaseSync, { tables }: AnySchema): void {
  const find = database.prepare(
    `SELECT type, name FROM sqlite_schema WHERE lower(tbl_name) = ? AND type IN ('view', 'trigger')`,
  );
  for (const table of Object.keys(tables)) {
    const found = find.get(table);
    if (found === undefined) continue;
    if (found['type'] === 'view') throw new Error(`${table} is a view, which need not keep what is acknowledged`);
    throw new Error(`the trigger ${JSON.stringify(found['name'])} may change or drop what is acknowledged`);
  }
}

function assertReferences(database: DatabaseSync): void {
  const found = database.prepare('PRAGMA foreign_key_check').get();
  if (found === undefined) return;
  throw new Error(`a migration would leave a row of ${String(found['table'])} that refers to none`);
}

// If several servers do this at the same time, SQLite fails some with BUSY instead of waiting.
function useWriteAheadLog(database: DatabaseSync): void {
  for (const deadline = Date.now() + BUSY_TIMEOUT_MS; ;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      /* istanbul ignore else: a matter of microseconds between processes */
      if ((error as { errcode?: number }).errcode !== BUSY || Date.now() > deadline) throw error;
    }
  }
}

function readPragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}
