// Prepares the tables of a SQLite database.
// A test runs this file in processes: it may import only Node's modules, and files like this one by their full names.
import { DatabaseSync } from 'node:sqlite';
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { type AnySchema, findNextMigration, type NextMigration, rowsOf, type Version } from '../schema.ts';
import { BUSY_TIMEOUT_MS, createCommit } from './commit.ts';
import { assertOwnLog } from './foreign-log.ts';

/** The SQL that stores a row, for each table in the order of the schema. */
export function toInserts({ tables }: AnySchema): string[] {
  return Object.entries(tables).map(([name, table]) => {
    const { columns, key } = rowsOf(table, 'sqlite');
    const placeholders = columns.map(() => '?').join(', ');
    // Ignore only a conflict with the same key: with an index that was added later, other rows may conflict.
    return `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${placeholders}) ON CONFLICT (${key.join(', ')}) DO NOTHING`;
  });
}

/**
 * Creates the database file, with its folder, if it is missing, and makes or migrates its tables. Any number of servers
 * may do so at the same time.
 *
 * @throws Error when the file cannot be used; it is not changed then
 */
export async function prepareSchema(file: string, schema: AnySchema, waiting: WaitOptions = {}): Promise<void> {
  makeFile(file);
  assertOneName(file);
  assertOwnLog(file);
  // Without foreign keys a migration can make a table anew: dropping the old one would delete what refers to it.
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false });
  try {
    await migrate(database, schema, waiting);
    // SQLite prepares the statements, and so fails now if a column or key is missing.
    createCommit(database, toInserts(schema));
    useWriteAheadLog(database);
  } finally {
    database.close();
  }
}

// Makes SQLite write a log ahead of the database file, now and at each later opening. Tries again: if several servers
// do this at the same time, SQLite fails some with BUSY instead of waiting.
function useWriteAheadLog(database: DatabaseSync): void {
  for (const deadline = performance.now() + BUSY_TIMEOUT_MS; ;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      /* istanbul ignore else: a matter of microseconds between processes */
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY || performance.now() > deadline) throw error;
    }
  }
}

/** Makes an empty file that only its owner can read and write, with its folder, if it is missing. */
function makeFile(file: string): void {
  makeFolder(dirname(file));
  try {
    // SQLite would create it readable by all users. SQLite gives its other files the mode of this one.
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // The file exists, or SQLite reports why it cannot be created.
  }
}

// SQLite keeps a log beside each name of a file. Two servers that open it by different names overwrite each other's rows.
function assertOneName(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.nlink < 2) return;
  throw new Error(`it has ${String(stats.nlink)} names (hard links): remove the others`);
}

// mkdir's recursive option is not used, since it does not terminate below /proc.
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    /* istanbul ignore else: another server made it in the meantime */
    if (!existsSync(folder)) throw error;
  }
}

/** How a store waits for other processes at its start. */
interface WaitOptions {
  /** How long for another process that migrates, in milliseconds. */
  readonly limit?: number;
  readonly warn?: ((message: string) => void) | undefined;
}

// A migration may have to read and write a large file.
const MIGRATION_TIMEOUT_MS = 60 * 60_000;
/** A result code of SQLite. */
const SQLITE_BUSY = 5;

/**
 * Applies the missing migrations, each in a transaction of its own. One server applies a migration while the others
 * wait for it: SQLite fails with BUSY, and they try again until the deadline.
 */
async function migrate(
  database: DatabaseSync,
  schema: AnySchema,
  { limit = MIGRATION_TIMEOUT_MS, warn }: WaitOptions,
): Promise<void> {
  // If no migration is missing, SQLite's own busy timeout is long enough.
  const deadline = performance.now() + (isMigrationMissing(database, schema) ? limit : 0);
  for (let tries = 1; ; tries++) {
    try {
      while (applyNextMigration(database, schema));
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY || performance.now() > deadline) throw error;
      if (database.isTransaction) database.exec('ROLLBACK');
      if (tries === 1) warn?.('a migration waits for another process that is writing to the database');
      // SQLite's own wait blocks the process. In between, let it do other things, such as end.
      await setTimeout(1);
    }
  }
}

// Whether the tables lack a migration; throws if this server cannot use them. Then the transaction stays open until the
// caller of migrate() closes the database.
function isMigrationMissing(database: DatabaseSync, schema: AnySchema): boolean {
  // In a transaction, so that no other process migrates between two statements.
  database.exec('BEGIN');
  const next = findNextMigration(schema, readVersion(database, schema));
  database.exec('ROLLBACK');
  return next !== undefined;
}

/**
 * Applies the next migration. On an error the transaction stays open: migrate() rolls it back before it tries again, or else
 * its caller closes the database.
 *
 * @returns false when there is none
 */
function applyNextMigration(database: DatabaseSync, schema: AnySchema): boolean {
  // IMMEDIATE takes the lock for writing: only one of two starting servers applies a migration.
  database.exec('BEGIN IMMEDIATE');
  const next = findNextMigration(schema, readVersion(database, schema));
  assertPlainTables(database, schema);
  if (next !== undefined) applyMigration(database, next, schema);
  // Only a write fails if the file is read-only. It is undone: a COMMIT would wait for readers.
  else database.exec('PRAGMA user_version = 0; ROLLBACK');
  return next !== undefined;
}

// Stores the version that the tables have after it, too, and commits both.
function applyMigration(
  database: DatabaseSync,
  { sqlite, applied, compatibleFrom, transaction }: NextMigration,
  { id, versionTable }: AnySchema,
): void {
  if (transaction === 'batches') while (Number(database.prepare(sqlite).run().changes) > 0);
  else database.exec(sqlite);
  if (!database.isTransaction) throw new Error('a migration must not end its transaction');
  assertReferences(database);
  database.exec(`PRAGMA application_id = ${String(id)}; PRAGMA user_version = ${String(compatibleFrom)}`);
  // The first release has no table of versions, so the first migration makes none.
  if (applied > 1) {
    database.exec(`CREATE TABLE IF NOT EXISTS ${versionTable} (migrations INTEGER NOT NULL) STRICT;
      DELETE FROM ${versionTable}; INSERT INTO ${versionTable} VALUES (${String(applied)})`);
  }
  database.exec('COMMIT');
}

// Returns undefined for a new file.
function readVersion(database: DatabaseSync, { id, versionTable }: AnySchema): Version | undefined {
  const application = readPragma(database, 'application_id');
  const compatibleFrom = readPragma(database, 'user_version');
  if (application === 0 && isEmpty(database)) return undefined;
  if (application !== id) throw new Error('it belongs to another application');
  // Without this table, the first release wrote the file: both numbers are in user_version.
  const table = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(versionTable);
  const applied = table && database.prepare(`SELECT migrations FROM ${versionTable}`).get()?.['migrations'];
  return { compatibleFrom, applied: Number(applied ?? compatibleFrom) };
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}

function assertReferences(database: DatabaseSync): void {
  const brokenReference = database.prepare('PRAGMA foreign_key_check').get();
  if (brokenReference === undefined) return;
  throw new Error(
    `a migration would leave a row of ${String(brokenReference['table'])} that refers to a row which does not exist`,
  );
}

function readPragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function assertPlainTables(database: DatabaseSync, { tables }: AnySchema): void {
  const findViewOrTrigger = database.prepare(
    `SELECT type, name FROM sqlite_schema WHERE lower(tbl_name) = ? AND type IN ('view', 'trigger')`,
  );
  // Names in the schema are lower case; tbl_name may have upper case, as it is written in the definition of a trigger.
  for (const table of Object.keys(tables)) {
    const found = findViewOrTrigger.get(table);
    if (found === undefined) continue;
    if (found['type'] === 'view') throw new Error(`${table} is a view, which might not keep acknowledged rows`);
    throw new Error(`the trigger ${JSON.stringify(found['name'])} might change or drop acknowledged rows`);
  }
}
