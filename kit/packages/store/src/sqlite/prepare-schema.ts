// Creates, migrates and checks the tables of a SQLite database. Tests run this file in processes, so the rule for imports in
// commit.ts also applies here.
import { DatabaseSync } from 'node:sqlite';
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { type AnySchema, findNextMigration, type NextMigration, rowsOf, type Version } from '../schema.ts';
import { BUSY_TIMEOUT_MS, createCommit } from './commit.ts';
import { assertOwnLog } from './foreign-log.ts';

/** Creates the INSERT for each table, in the schema's order. */
export function toInserts({ tables }: AnySchema): string[] {
  return Object.entries(tables).map(([name, table]) => {
    const { columns, key } = rowsOf(table, 'sqlite');
    const placeholders = columns.map(() => '?').join(', ');
    // Only conflicts on the key are ignored. Conflicts on other indexes are errors.
    return `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${placeholders}) ON CONFLICT (${key.join(', ')}) DO NOTHING`;
  });
}

/**
 * Creates or migrates the database file. Several servers can safely do this at the same time.
 *
 * @throws Error if the file cannot be used. The file then stays unchanged.
 */
export async function prepareSchema(file: string, schema: AnySchema, waiting: WaitOptions = {}): Promise<void> {
  createPrivateFile(file);
  assertNoHardLinks(file);
  assertOwnLog(file);
  // A migration can replace a table. With foreign keys, dropping the old table would delete the rows that refer to it.
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

// If several servers set the mode at the same time, SQLite fails with BUSY immediately, despite its timeout.
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

function createPrivateFile(file: string): void {
  createPrivateFolder(dirname(file));
  try {
    // SQLite would make the file readable by all users. It gives its other files the same mode as this one.
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // The file exists, or SQLite reports why it cannot be created.
  }
}

// SQLite has one log per file name, so servers that open a file by different names would overwrite each other's rows.
function assertNoHardLinks(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.nlink < 2) return;
  throw new Error(`it has ${String(stats.nlink)} names (hard links): remove the others`);
}

// Creates a folder and its missing parents. mkdir's `recursive` is not used, because it never returns below /proc.
function createPrivateFolder(folder: string): void {
  if (existsSync(folder)) return;
  createPrivateFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    /* istanbul ignore else: another server made it in the meantime */
    if (!existsSync(folder)) throw error;
  }
}

interface WaitOptions {
  /** The time to wait for another process that migrates, in milliseconds. */
  readonly limit?: number;
  readonly warn?: ((message: string) => void) | undefined;
}

const MIGRATION_TIMEOUT_MS = 60 * 60_000;
const SQLITE_BUSY = 5;

// Applies the missing migrations, each in its own transaction. During that time, other servers get BUSY and try again.
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
      // SQLite's own wait blocks the event loop. This one lets the process handle signals.
      await setTimeout(1);
    }
  }
}

function isMigrationMissing(database: DatabaseSync, schema: AnySchema): boolean {
  // The transaction prevents another process from migrating between two statements.
  database.exec('BEGIN');
  const next = findNextMigration(schema, readVersion(database, schema));
  database.exec('ROLLBACK');
  return next !== undefined;
}

// If this throws, migrate rolls the transaction back, or prepareSchema closes the database.
function applyNextMigration(database: DatabaseSync, schema: AnySchema): boolean {
  // IMMEDIATE takes the write lock, so that only one server applies the migration.
  database.exec('BEGIN IMMEDIATE');
  const next = findNextMigration(schema, readVersion(database, schema));
  assertPlainTables(database, schema);
  if (next !== undefined) applyMigration(database, next, schema);
  // Only a write shows whether a file is read-only. It is rolled back, because a COMMIT would wait for readers.
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
  // Like the first release, the first migration creates no versions table.
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
  // In a file from the first release, the table is missing, and user_version is both numbers.
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
  // A trigger's definition can spell tbl_name in another case.
  for (const table of Object.keys(tables)) {
    const viewOrTrigger = findViewOrTrigger.get(table);
    if (viewOrTrigger === undefined) continue;
    if (viewOrTrigger['type'] === 'view') throw new Error(`${table} is a view, which might not keep acknowledged rows`);
    throw new Error(`the trigger ${JSON.stringify(viewOrTrigger['name'])} might change or drop acknowledged rows`);
  }
}
