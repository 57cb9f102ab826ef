import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createCommit } from './sqlite-commit';

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

// How long a start waits for another process that makes the table.
const BUSY_TIMEOUT_MS = 2_000;
/** A result code of SQLite. */
const BUSY = 5;

/**
 * Makes the database in a file, with its folder, when it is missing; any number of servers may do so at once.
 *
 * @throws Error when it cannot be used; it is left as it was
 */
export function prepareSchema(file: string): void {
  makeFolder(dirname(file));
  makeFile(file);
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    makeTable(database);
    assertKeeping(database);
    createCommit(database);
    useWriteAheadLog(database);
  } finally {
    database.close();
  }
}

// Not mkdir's own recursion, which does not end below /proc.
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

// SQLite would let all users read it. Its other files get the mode of this one.
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // It is there, or SQLite tells why it cannot be made.
  }
}

function makeTable(database: DatabaseSync): void {
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
  // With nothing to commit, COMMIT would still wait for those who read.
  database.exec(isNew ? `${SCHEMA} COMMIT` : 'ROLLBACK');
}

// Both may keep something else than what is acknowledged, or nothing. A trigger has the table's name as it was written.
function assertKeeping(database: DatabaseSync): void {
  const find = `SELECT type, name FROM sqlite_schema WHERE lower(tbl_name) = 'plants' AND type IN ('view', 'trigger')`;
  const found = database.prepare(find).get();
  if (found === undefined) return;
  if (found['type'] === 'view') throw new Error('plants is a view, which need not keep what is acknowledged');
  throw new Error(`the trigger ${JSON.stringify(found['name'])} may change or drop what is acknowledged`);
}

// Of several servers that do so at once, SQLite turns some away at once instead of letting them wait.
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

function readPragma(database: DatabaseSync, name: string): unknown {
  return (database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>)[name];
}
