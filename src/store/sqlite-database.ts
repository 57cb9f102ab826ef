import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from './plant-store';

/** "Plnt": tells the file from those of other applications (SQLite's file format, section 1.3). */
const APPLICATION_ID = 0x506c6e74;
const VERSION = 1;

// All of a plant is its identity. An index takes two missing tags for different ones, hence the blob, which is equal
// to itself and to no text.
const SCHEMA = `
  CREATE TABLE plants (id INTEGER NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT;
  CREATE UNIQUE INDEX plants_once ON plants (id, name, ifnull(tag, x''));
  PRAGMA application_id = ${String(APPLICATION_ID)};
  PRAGMA user_version = ${String(VERSION)};`;

// How long a start waits for another process to make the table.
const BUSY_TIMEOUT_MS = 2_000;

/**
 * The database in a file, which is made with its folder when missing.
 *
 * @throws StoreUnavailable, one line that names the file, when it cannot be used; it is left as it was
 */
export function openDatabase(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    prepare(database);
    return database;
  } catch (error) {
    database?.close();
    throw new StoreUnavailable(`the database ${file} cannot be used: ${(error as Error).message}`);
  }
}

function prepare(database: DatabaseSync): void {
  // Immediate, so that it fails here when the file cannot be written, and two servers that start make one table.
  database.exec('BEGIN IMMEDIATE');
  const application = readPragma(database, 'application_id');
  const version = readPragma(database, 'user_version');
  const isNew = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined && application === 0;
  if (!isNew && application !== APPLICATION_ID) throw new Error('it belongs to another application');
  if (!isNew && version !== VERSION) {
    const age = Number(version) > VERSION ? 'a newer' : 'another';
    throw new Error(`it was written by ${age} version (its format is ${String(version)})`);
  }
  if (isNew) database.exec(SCHEMA);
  database.exec('COMMIT');
  database.prepare('SELECT id, name, tag FROM plants');
  database.exec('PRAGMA journal_mode = WAL');
  // The log is synced before a commit returns; at NORMAL, WAL's usual companion, a power cut could undo it.
  database.exec('PRAGMA synchronous = FULL');
  // From here on nothing may wait in place: the event loop would wait with it.
  database.exec('PRAGMA busy_timeout = 0');
}

function readPragma(database: DatabaseSync, name: string): unknown {
  return (database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>)[name];
}
