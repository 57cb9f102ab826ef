// Imported by the thread: it may import nothing but what comes with Node, and such files by their whole names.
import { DatabaseSync } from 'node:sqlite';
import { LOG_BYTES } from './sqlite-log.ts';

/** A row of the table: id, name, tag. */
export type Row = readonly [bigint, string, string | null];

/** Why the row at this place of a batch was not kept. */
export interface RowFailure {
  readonly place: number;
  readonly message: string;
  /** It says nothing against the plant: it may be tried again later. */
  readonly isUnavailable: boolean;
}

// How long a lock of another process is waited for. Nobody waits in this thread but those who want to write.
const BUSY_TIMEOUT_MS = 2_000;

// The result codes that say nothing against the plant: BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN,
// PROTOCOL, NOTADB.
const UNAVAILABLE = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

/** A connection to a database that is prepared, on which a commit returns when it is on disk. */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  // The log is synced before a commit returns; at NORMAL, WAL's usual companion, a power cut could undo it.
  database.exec(`PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${String(LOG_BYTES)}`);
  return database;
}

/**
 * Keeps rows in one transaction. A row that is kept already is kept once.
 *
 * @returns what was not kept
 */
export function createCommit(database: DatabaseSync): (rows: readonly Row[]) => RowFailure[] {
  const begin = database.prepare('BEGIN IMMEDIATE');
  // Only the same plant again is no failure: an index that somebody added may find other plants to be in conflict.
  const insert = database.prepare(
    `INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT (id, name, ifnull(tag, x'')) DO NOTHING`,
  );
  const commit = database.prepare('COMMIT');

  function keep(row: Row, place: number): RowFailure[] {
    try {
      insert.run(...row);
      return [];
    } catch (error) {
      const failure = toFailure(error, place);
      // The disk's failure, not the row's, or the end of the transaction: nothing in it can be relied on.
      if (failure.isUnavailable || !database.isTransaction) throw error;
      return [failure];
    }
  }

  return function commitRows(rows) {
    try {
      begin.run();
      const failures = rows.flatMap(keep);
      commit.run();
      return failures;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      return rows.map((_, place) => toFailure(error, place));
    }
  };
}

function toFailure(error: unknown, place: number): RowFailure {
  const { message, errcode } = error as { message: string; errcode: number };
  // Extended result codes have the plain one in their lowest byte.
  return { place, message, isUnavailable: UNAVAILABLE.has(errcode & 0xff) };
}

/** @returns why nothing could be written now */
export function check(database: DatabaseSync): RowFailure[] {
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return [];
  } catch (error) {
    return [toFailure(error, 0)];
  }
}
