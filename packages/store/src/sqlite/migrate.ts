// Migrates a SQLite database.
// A test runs this file in processes: it may import only Node's modules, and files like this one by their full names.
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { AnySchema } from '../schema.ts';
import { findStep, type Step, type Version } from '../version.ts';
import { assertPlainTables } from './assert-plain-tables.ts';

/** How a store waits for other processes at its start. */
export interface Waiting {
  /** How long for another process that migrates, in milliseconds. */
  readonly limit?: number;
  readonly warn?: ((message: string) => void) | undefined;
}

// A migration may have to read and write a large file.
const MIGRATION_MS = 60 * 60_000;
/** A result code of SQLite. */
export const BUSY = 5;

/**
 * Applies the missing migrations, each in a transaction of its own. One server applies a migration while the others
 * wait for it.
 */
export async function migrate(
  database: DatabaseSync,
  schema: AnySchema,
  { limit = MIGRATION_MS, warn }: Waiting,
): Promise<void> {
  const deadline = Date.now() + (isMigrationMissing(database, schema) ? limit : 0);
  for (let tries = 1; ; tries++) {
    try {
      while (applyNext(database, schema));
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== BUSY || Date.now() > deadline) throw error;
      if (database.isTransaction) database.exec('ROLLBACK');
      if (tries === 1) warn?.('another process writes the database, and a migration waits for it');
      // SQLite's own wait blocks the process. In between, let it do other things, such as end.
      await setTimeout(1);
    }
  }
}

function isMigrationMissing(database: DatabaseSync, schema: AnySchema): boolean {
  // In a transaction, so that no other process migrates between two statements.
  database.exec('BEGIN');
  const step = findStep(schema, readVersion(database, schema));
  database.exec('ROLLBACK');
  return step !== undefined;
}

/** Applies the next migration. @returns false when there is none */
function applyNext(database: DatabaseSync, schema: AnySchema): boolean {
  // IMMEDIATE: fails here if the file is read-only, and only one of two starting servers applies a migration.
  database.exec('BEGIN IMMEDIATE');
  const step = findStep(schema, readVersion(database, schema));
  assertPlainTables(database, schema);
  if (step !== undefined) applyStep(database, step, schema);
  // An empty COMMIT would still wait for readers.
  else database.exec('ROLLBACK');
  return step !== undefined;
}

function applyStep(database: DatabaseSync, { sqlite, applied, oldest }: Step, { id, versionTable }: AnySchema): void {
  database.exec(sqlite);
  if (!database.isTransaction) throw new Error('a migration may not end its transaction');
  assertReferences(database);
  database.exec(`PRAGMA application_id = ${String(id)}; PRAGMA user_version = ${String(oldest)}`);
  // The first release has no table of versions, so the first migration makes none.
  if (applied > 1) {
    database.exec(`CREATE TABLE IF NOT EXISTS ${versionTable} (migrations INTEGER NOT NULL) STRICT;
      DELETE FROM ${versionTable}; INSERT INTO ${versionTable} VALUES (${String(applied)})`);
  }
  database.exec('COMMIT');
}

/** Reads which migrations the tables have. @returns undefined for a new file */
function readVersion(database: DatabaseSync, { id, versionTable }: AnySchema): Version | undefined {
  const application = readPragma(database, 'application_id');
  const oldest = readPragma(database, 'user_version');
  if (application === 0 && database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) return undefined;
  if (application !== id) throw new Error('it belongs to another application');
  const table = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(versionTable);
  const applied = table && database.prepare(`SELECT migrations FROM ${versionTable}`).get()?.['migrations'];
  return { oldest, applied: Number(applied ?? oldest) };
}

/** Asserts that no foreign key refers to a row that is gone. */
function assertReferences(database: DatabaseSync): void {
  const found = database.prepare('PRAGMA foreign_key_check').get();
  if (found === undefined) return;
  throw new Error(`a migration would leave a row of ${String(found['table'])} that refers to none`);
}

function readPragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}
