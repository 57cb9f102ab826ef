// The thread imports this file: it may import only Node's modules, and files like this one by their full names.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Row, SqliteValue } from '../schema.ts';
import { LOG_BYTES } from './log.ts';

/** Why the row at an index of a batch was not stored. */
export interface RowFailure {
  readonly place: number;
  readonly message: string;
  /** The row is not at fault: the caller may try again later. */
  readonly isUnavailable: boolean;
}

// How long to wait for a lock of another process. Only writes wait in this thread.
const BUSY_TIMEOUT_MS = 2_000;

// The result codes that are not the fault of a row: BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN,
// PROTOCOL, NOTADB.
const UNAVAILABLE = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

/** Opens a prepared database. A commit returns when it is on disk. */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  // FULL syncs the log before a commit returns. With NORMAL, usual for WAL, a power cut could undo a commit.
  database.exec(`PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${String(LOG_BYTES)}`);
  return database;
}

/**
 * Stores rows in one transaction, in their order. A row that exists already is not stored again.
 *
 * @param inserts the SQL of each table
 * @returns a function that returns the rows that were not stored
 */
export function createCommit(
  database: DatabaseSync,
  inserts: readonly string[],
): (rows: readonly Row<SqliteValue>[]) => RowFailure[] {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const statements = inserts.map((sql) => database.prepare(sql));
  const commit = database.prepare('COMMIT');

  function keep([table, values]: Row<SqliteValue>, place: number): RowFailure[] {
    try {
      (statements[table] as Pick<StatementSync, 'run'>).run(...values);
      return [];
    } catch (error) {
      const failure = toFailure(error, place);
      // The disk failed, or the transaction has ended: no row of it is stored for certain.
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
  // The lowest byte of an extended result code is the primary one.
  return { place, message, isUnavailable: UNAVAILABLE.has(errcode & 0xff) };
}

/** @returns why nothing can be written now */
export function check(database: DatabaseSync): RowFailure[] {
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return [];
  } catch (error) {
    return [toFailure(error, 0)];
  }
}
