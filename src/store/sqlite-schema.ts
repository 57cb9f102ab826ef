import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createCommit } from './sqlite-commit';

/** "Plnt": marks the file as one of this application (SQLite's file format, section 1.3). */
const APPLICATION_ID = 0x506c6e74;
const VERSION = 1;

// Plants are the same if all columns are equal. In an index, two NULL tags are different: index an empty blob instead,
// which equals itself and no text.
const SCHEMA = `
  CREATE TABLE plants (id INTEGER NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT;
  CREATE UNIQUE INDEX plants_once ON plants (id, name, ifnull(tag, x''));
  PRAGMA application_id = ${String(APPLICATION_ID)};
  PRAGMA user_version = ${String(VERSION)};`;

// How long to wait at the start for another process that creates the table.
const BUSY_TIMEOUT_MS = 2_000;
/** A result code of SQLite. */
const BUSY = 5;

/**
 * Creates the database file, with its folder, if it is missing. Any number of servers may do so at the same time.
 *
 * @throws Error when the file cannot be used; it is not changed then
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

// Not with mkdir's recursive option, which does not terminate below /proc.
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

// SQLite would create it readable by all users. SQLite gives its other files the mode of this one.
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // The file exists, or SQLite reports why it cannot be created.
  }
}

function makeTable(database: DatabaseSync): void {
  // IMMEDIATE: fails here if the file is read-only, and only one of two starting servers creates the table.
  database.exec('BEGIN IMMEDIATE');
  const application = readPragma(database, 'application_id');
  const version = readPragma(database, 'user_version');
  const isNew = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined && application === 0;
  if (!isNew && application !== APPLICATION_ID) throw new Error('it belongs to another application');
  if (!isNew && version !== VERSION) {
    const age = Number(version) > VERSION ? 'a newer' : 'another';
    throw new Error(`it was written by ${age} version (its format is ${String(version)})`);
  }
  // An empty COMMIT would still wait for readers.
  database.exec(isNew ? `${SCHEMA} COMMIT` : 'ROLLBACK');
}

// A view or trigger may change or drop acknowledged rows. A trigger has the table's name in the case of its definition.
function assertKeeping(database: DatabaseSync): void {
  const find = `SELECT type, name FROM sqlite_schema WHERE lower(tbl_name) = 'plants' AND type IN ('view', 'trigger')`;
  const found = database.prepare(find).get();
  if (found === undefined) return;
  if (found['type'] === 'view') throw new Error('plants is a view, which need not keep what is acknowledged');
  throw new Error(`the trigger ${JSON.stringify(found['name'])} may change or drop what is acknowledged`);
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

function readPragma(database: DatabaseSync, name: string): unknown {
  return (database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>)[name];
}
