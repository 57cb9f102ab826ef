// The thread that writes the database. Node runs this file alone, as it is, also where the rest of the source is
// compiled in memory: it may import nothing but what comes with Node.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

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
  database.exec('PRAGMA synchronous = FULL');
  return database;
}

/**
 * Keeps rows in one transaction. A row that is kept already is kept once.
 *
 * @returns what was not kept
 */
export function createCommit(database: DatabaseSync): (rows: readonly Row[]) => RowFailure[] {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
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

/** What the thread is asked: to keep rows, whether it could, or to end. */
export type Question = readonly Row[] | 'check' | 'close';

function check(database: DatabaseSync): RowFailure[] {
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return [];
  } catch (error) {
    return [toFailure(error, 0)];
  }
}

/** Answers each question but the last one with what failed. */
export function serveDatabase(port: MessagePort, file: string): void {
  const database = openDatabase(file);
  const commit = createCommit(database);
  port.on('message', (question: Question) => {
    if (question === 'close') {
      database.close();
      port.close();
    } else {
      port.postMessage(question === 'check' ? check(database) : commit(question));
    }
  });
}

/* istanbul ignore next: what runs as a thread is not seen from here */
if (parentPort !== null) serveDatabase(parentPort, workerData as string);
