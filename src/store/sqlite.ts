import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable, type PlantStore } from './plant-store';

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

// The result codes that say nothing against the plant: BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN,
// PROTOCOL, NOTADB.
const UNAVAILABLE = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

// How long a lock of another process is waited for. Nothing else is served meanwhile.
const BUSY_TIMEOUT_MS = 250;

/**
 * The embedded store: one file, made with its folder when missing. A plant is on disk when it is acknowledged.
 *
 * @throws StoreUnavailable, one line that names the file, when it cannot be used; it is left as it was
 */
export function openSqliteStore(file: string): PlantStore {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    prepare(database);
  } catch (error) {
    database?.close();
    throw new StoreUnavailable(`the database ${file} cannot be used: ${(error as Error).message}`, { cause: error });
  }
  return createStore(database);
}

function prepare(database: DatabaseSync): void {
  // Immediate, so that it fails here when the file cannot be written, and two servers that start make one table.
  database.exec('BEGIN IMMEDIATE');
  const application = readPragma(database, 'application_id');
  const version = readPragma(database, 'user_version');
  const isNew = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined && application === 0;
  if (!isNew && application !== APPLICATION_ID) throw new Error('it belongs to another application');
  if (Number(version) > VERSION) throw new Error(`it was written by a newer version (its format is ${String(version)})`);
  if (isNew) database.exec(SCHEMA);
  database.exec('COMMIT');
  database.exec('PRAGMA journal_mode = WAL');
  // The log is synced before a commit returns; at NORMAL, WAL's usual companion, a power cut could undo it.
  database.exec('PRAGMA synchronous = FULL');
  const mode = readPragma(database, 'journal_mode');
  if (mode !== 'wal') throw new Error(`its file system cannot keep a write-ahead log (the mode is ${String(mode)})`);
}

function readPragma(database: DatabaseSync, name: string): unknown {
  return database.prepare(`PRAGMA ${name}`).get()?.[name];
}

function createStore(database: DatabaseSync): PlantStore {
  const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  return {
    add: ({ id, name, tag }) =>
      Promise.try(() => {
        try {
          insert.run(id, name, tag ?? null);
        } catch (error) {
          throw isUnavailable(error) ? new StoreUnavailable('the database cannot be written', { cause: error }) : error;
        }
      }),
    close: () =>
      Promise.try(() => {
        database.close();
      }),
  };
}

function isUnavailable(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && UNAVAILABLE.has(errcode & 0xff);
}
