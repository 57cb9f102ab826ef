// Prepares the tables of a SQLite database.
// A test runs this file in processes, so it may import only Node's modules, and files like this one by their full names.
import { DatabaseSync } from 'node:sqlite';
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { type AnySchema, findNextMigration, type NextMigration, rowsOf, type Version } from '../schema.ts';
import { BUSY_TIMEOUT_MS, createCommit } from './commit.ts';
import { assertOwnLog } from './foreign-log.ts';

/** Writes the SQL that stores a row, for each table in the order of the schema. */
export function toInserts({ tables }: AnySchema): string[] {
  return Object.entries(tables).map(([name, table]) => {
    const { columns, key } = rowsOf(table, 'sqlite');
    const placeholders = columns.map(() => '?').join(', ');
    // Ignore only conflicts on the key. An index that was added later may also conflict.
    return `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${placeholders}) ON CONFLICT (${key.join(', ')}) DO NOTHING`;
  });
}

/**
 * Creates or migrates the database file. Any number of servers may do so at the same time.
 *
 * @throws Error if the file cannot be used, which then stays unchanged
 */
export async function prepareSchema(file: string, schema: AnySchema, waiting: WaitOptions = {}): Promise<void> {
  makeFile(file);
  assertOneName(file);
  assertOwnLog(file);
  // A migration may replace a table. With foreign keys, dropping the old one would delete the rows that refer to it.
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false });
  try {
    await migrate(database, schema, waiting);
    // This prepares the statements, which fails if a column or key is missing.
    createCommit(database, toInserts(schema));
    useWriteAheadLog(database);
  } finally {
    database.close();
  }
}

// The mode is persistent. If several servers set it at the same time, SQLite fails with BUSY at once, despite its timeout.
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

function makeFile(file: string): void {
  makeFolder(dirname(file));
  try {
    // SQLite would make it readable for all users. It gives its other files the mode of this one.
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // The file exists, or SQLite will report why it cannot be created.
  }
}

// SQLite keeps a log for each name of a file, so servers that open it by different names would overwrite each other's rows.
function assertOneName(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.nlink < 2) return;
  throw new Error(`it has ${String(stats.nlink)} names (hard links): remove the others`);
}

// The recursive option of mkdir does not terminate below /proc.
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

interface WaitOptions {
  /** How long to wait for another process that migrates, in milliseconds. */
  readonly limit?: number;
  readonly warn?: ((message: string) => void) | undefined;
}

const MIGRATION_TIMEOUT_MS = 60 * 60_000;
const SQLITE_BUSY = 5;

// Applies the missing migrations, each in its own transaction. Meanwhile, other servers fail with BUSY and try again.
async function migrate(
  database: DatabaseSync,
  schema: AnySchema,
  { limit = MIGRATION_TIMEOUT_MS, warn }: WaitOptions,
): Promise<void> {
  // Without missing migrations, SQLite's own busy timeout is long enough.
  const deadline = performance.now() + (isMigrationMissing(database, schema) ? limit : 0);
  for (let tries = 1; ; tries++) {
    try {
      while (applyNextMigration(database, schema));
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY || performance.now() > deadline) throw error;
      if (database.isTransaction) database.exec('ROLLBACK');
      if (tries === 1) warn?.('a migration waits for another process that is writing to the database');
      // SQLite's own wait blocks the process, which may want to end.
      await setTimeout(1);
    }
  }
}

// If this throws, the transaction stays open until the caller of migrate() closes the database.
function isMigrationMissing(database: DatabaseSync, schema: AnySchema): boolean {
  // A transaction, so that no other process migrates between two statements.
  database.exec('BEGIN');
  const next = findNextMigration(schema, readVersion(database, schema));
  database.exec('ROLLBACK');
  return next !== undefined;
}

// If this throws, the transaction stays open until migrate() rolls it back, or its caller closes the database.
function applyNextMigration(database: DatabaseSync, schema: AnySchema): boolean {
  // IMMEDIATE takes the write lock, so that only one of several servers applies the migration.
  database.exec('BEGIN IMMEDIATE');
  const next = findNextMigration(schema, readVersion(database, schema));
  assertPlainTables(database, schema);
  if (next !== undefined) applyMigration(database, next, schema);
  // Only a write shows that a file is read-only. It is rolled back, because a COMMIT would wait for readers.
  else database.exec('PRAGMA user_version = 0; ROLLBACK');
  return next !== undefined;
}

function applyMigration(
  database: DatabaseSync,
  { sqlite, applied, compatibleFrom, transaction }: NextMigration,
  { id, versionTable }: AnySchema,
): void {
  if (transaction === 'batches' && database.prepare(sqlite).sourceSQL.length < sqlite.trimEnd().length)
    throw new Error('a migration in batches must be a single statement');
  let changes: number;
  do {
    changes = readNumber(database, 'SELECT total_changes()');
    database.exec(sqlite);
  } while (transaction === 'batches' && readNumber(database, 'SELECT total_changes()') > changes);
  if (!database.isTransaction) throw new Error('a migration must not end its transaction');
  assertReferences(database);
  database.exec(`PRAGMA application_id = ${String(id)}; PRAGMA user_version = ${String(compatibleFrom)}`);
  // The first release had no versions table, so the first migration does not create one.
  if (applied > 1) {
    database.exec(`CREATE TABLE IF NOT EXISTS ${versionTable} (migrations INTEGER NOT NULL) STRICT;
      DELETE FROM ${versionTable}; INSERT INTO ${versionTable} VALUES (${String(applied)})`);
  }
  database.exec('COMMIT');
}

function readVersion(database: DatabaseSync, { id, versionTable }: AnySchema): Version | undefined {
  const application = readNumber(database, 'PRAGMA application_id');
  const compatibleFrom = readNumber(database, 'PRAGMA user_version');
  if (application === 0 && readNumber(database, 'SELECT count(*) FROM sqlite_schema') === 0) return undefined;
  if (application !== id) throw new Error('it belongs to another application');
  // The first release had no such table; its user_version is both numbers.
  const table = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(versionTable);
  const applied = table && database.prepare(`SELECT migrations FROM ${versionTable}`).get()?.['migrations'];
  return { compatibleFrom, applied: Number(applied ?? compatibleFrom) };
}

function assertReferences(database: DatabaseSync): void {
  const brokenReference = database.prepare('PRAGMA foreign_key_check').get();
  if (brokenReference === undefined) return;
  throw new Error(
    `a migration would leave a row of ${String(brokenReference['table'])} that refers to a row which does not exist`,
  );
}

function readNumber(database: DatabaseSync, sql: string): number {
  return Number(Object.values({ ...database.prepare(sql).get() })[0]);
}

function assertPlainTables(database: DatabaseSync, { tables }: AnySchema): void {
  const findViewOrTrigger = database.prepare(
    `SELECT type, name FROM sqlite_schema WHERE lower(tbl_name) = ? AND type IN ('view', 'trigger')`,
  );
  // tbl_name has the case of the trigger's definition.
  for (const table of Object.keys(tables)) {
    const viewOrTrigger = findViewOrTrigger.get(table);
    if (viewOrTrigger === undefined) continue;
    if (viewOrTrigger['type'] === 'view') throw new Error(`${table} is a view, which might not keep acknowledged rows`);
    throw new Error(`the trigger ${JSON.stringify(viewOrTrigger['name'])} might change or drop acknowledged rows`);
  }
}
