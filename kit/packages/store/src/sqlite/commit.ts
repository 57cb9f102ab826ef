// Runs batches, transactions and reads in SQLite. Node loads this file in threads without a compiler, so its imports need
// their extensions, and can only be Node's modules or files with the same rule.
import { performance } from 'node:perf_hooks';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Row, SqliteValue } from '../schema.ts';
import type { Sql } from '../statement.ts';
import { MAX_LOG_BYTES } from './write-ahead-log.ts';

type Fields = Readonly<Record<string, unknown>>;

/** @returns the rows that a statement returns, or an empty row for each row that it changes */
type RunStatement = (sql: string, values: readonly SqliteValue[]) => Fields[];

/** The maximum number of cached statements. A service has fewer, unless it puts values into the SQL. */
export const MAX_STATEMENTS = 200;

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
  /** Whether rows are returned as arrays. The objects that node:sqlite creates are slow. */
  readonly returnsArrays: boolean;
  /** Whether the placeholders are `$1` instead of `?`. */
  readonly hasNumberedPlaceholders: boolean;
}

/** Creates a function that runs statements and caches them. */
export function createStatements(database: DatabaseSync): RunStatement {
  const statementBySql = new Map<string, PreparedStatement>();

  function prepare(sql: string): PreparedStatement {
    const cached = statementBySql.get(sql);
    if (cached !== undefined) return cached;
    const statement = database.prepare(sql);
    // SQLite ignores everything after the first statement.
    if (!/^\s*(--.*(\n\s*|$))*$/.test(sql.slice(statement.sourceSQL.length)))
      throw new Error('a text must have one statement only');
    statement.setReadBigInts(true);
    if (statementBySql.size === MAX_STATEMENTS) statementBySql.clear();
    const columns = statement.columns().map(({ name }) => name);
    // The columns of `*` are not fixed, because another program can change them at any time.
    const returnsArrays = !/\*|__proto__/.test(sql);
    statement.setReturnArrays(returnsArrays);
    const entry = { statement, columns, returnsArrays, hasNumberedPlaceholders: sql.includes('$1') };
    statementBySql.set(sql, entry);
    return entry;
  }

  return (sql, values) => {
    const { statement, columns, returnsArrays, hasNumberedPlaceholders } = prepare(sql);
    const boundValues = (hasNumberedPlaceholders ? [toNamedValues(values)] : values) as SQLInputValue[];
    if (columns.length === 0) return Array.from({ length: Number(statement.run(...boundValues).changes) }, () => ({}));
    const rows: unknown[] = statement.all(...boundValues);
    return returnsArrays ? (rows as unknown[][]).map((row) => toFields(columns, row)) : (rows as Fields[]);
  };
}

function toFields(columns: readonly string[], values: readonly unknown[]): Fields {
  const fields: Record<string, unknown> = {};
  let index = 0;
  for (const name of columns) fields[name] = values[index++];
  return fields;
}

// Values are bound by name, because SQLite would bind a list in the order in which $1 and $2 appear.
function toNamedValues(values: readonly SqliteValue[]): Record<string, SqliteValue> {
  const valuesByName: Record<string, SqliteValue> = {};
  for (const [index, value] of values.entries()) valuesByName[`$${String(index + 1)}`] = value;
  return valuesByName;
}

/** A row to store, or statements whose changes are kept together or not at all. */
export type Entry = Row<SqliteValue> | { readonly statements: readonly Sql[] };

export interface Failure {
  readonly index: number;
  readonly message: string;
  /** Whether the database is at fault, so that the caller can try again later. */
  readonly isUnavailable: boolean;
}

export interface ReturnedRows {
  readonly index: number;
  readonly rows: readonly Fields[];
  readonly milliseconds?: number;
}

/** Runs a batch. An entry without an outcome succeeded and returned no rows. */
export type RunBatch = (batch: readonly Entry[]) => (Failure | ReturnedRows)[];

/** The time that SQLite waits for a lock of another process. */
export const BUSY_TIMEOUT_MS = 2_000;

// The codes of an unavailable database: BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL and NOTADB.
const UNAVAILABLE_CODES = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

/** Opens a prepared database for writing. When a commit returns, it is on disk. */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  // FULL syncs the log before a commit returns. With the usual NORMAL, a power failure could undo a commit.
  database.exec(`PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${String(MAX_LOG_BYTES)}`);
  return database;
}

/** Creates a function that runs a batch in one transaction. */
export function createCommit(database: DatabaseSync, inserts: readonly string[]): RunBatch {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const insertStatements = inserts.map((sql) => database.prepare(sql));
  const commit = database.prepare('COMMIT');
  const runStatement = createStatements(database);

  // A savepoint allows undoing these statements without the rest of the batch.
  function runAtomically(statements: readonly Sql[]): readonly Fields[] {
    database.exec('SAVEPOINT entry');
    let isReleased = false;
    try {
      let rows: readonly Fields[] = [];
      for (const { text, values, isOptional } of statements) {
        rows = runStatement(text, values);
        if (rows.length === 0 && !isOptional) return [];
      }
      isReleased = true;
      return rows;
    } finally {
      if (database.isTransaction) database.exec(isReleased ? 'RELEASE entry' : 'ROLLBACK TO entry; RELEASE entry');
    }
  }

  function runEntry(entry: Entry, index: number): (Failure | ReturnedRows)[] {
    try {
      if ('statements' in entry) return [{ index, rows: runAtomically(entry.statements) }];
      const [table, values] = entry;
      (insertStatements[table] as Pick<StatementSync, 'run'>).run(...values);
      return [];
    } catch (error) {
      const failure = toFailure(error, index);
      // If the database failed or the transaction has ended, the whole batch fails.
      if (failure.isUnavailable || !database.isTransaction) throw error;
      return [failure];
    }
  }

  return function commitBatch(batch) {
    const [first] = batch;
    try {
      // A single INSERT is already a transaction.
      if (first !== undefined && batch.length === 1 && !('statements' in first)) return runEntry(first, 0);
      begin.run();
      const outcomes = batch.flatMap(runEntry);
      commit.run();
      return outcomes;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      return batch.map((_, index) => toFailure(error, index));
    }
  };
}

/** The time limit of a transaction. Other processes wait for its lock for BUSY_TIMEOUT_MS, which is longer. */
export const TRANSACTION_MS = 1_000;

export const BEGIN: Sql = { text: 'BEGIN IMMEDIATE', values: [], isOptional: false };
export const COMMIT: Sql = { ...BEGIN, text: 'COMMIT' };
export const ROLLBACK: Sql = { ...BEGIN, text: 'ROLLBACK' };

/** Runs a transaction with one message per statement, from BEGIN to COMMIT or ROLLBACK. */
export interface Steps {
  run(step: Sql): (Failure | ReturnedRows)[];
  /** Ends a transaction that the main thread has abandoned, so that other processes can get its lock. */
  endOverdue(): void;
}

/** Creates the steps of transactions. A failed step undoes its transaction. After that, only a rollback is valid. */
export function createSteps(database: DatabaseSync): Steps {
  const runStatement = createStatements(database);
  let startTime = 0;

  function rollBack(): void {
    if (database.isTransaction) database.exec(ROLLBACK.text);
  }

  return {
    run({ text, values }) {
      try {
        if (text === BEGIN.text) startTime = performance.now();
        else if (!database.isTransaction && text !== ROLLBACK.text) throw new Error('the transaction has ended');
        if (text !== ROLLBACK.text) return [{ index: 0, rows: runStatement(text, values) }];
        rollBack();
        return [];
      } catch (error) {
        rollBack();
        return [toFailure(error, 0)];
      }
    },
    endOverdue() {
      if (performance.now() - startTime > 2 * TRANSACTION_MS) rollBack();
    },
  };
}

function toFailure(error: unknown, index: number): Failure {
  const { message, errcode } = error as { message: string; errcode: number };
  // The lowest byte of an extended result code is the primary result code.
  return { index, message, isUnavailable: UNAVAILABLE_CODES.has(errcode & 0xff) };
}

/** @returns the reason why no write transaction can begin, or nothing if one can */
export function checkWritable(database: DatabaseSync): Failure[] {
  try {
    if (!database.isTransaction) database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return [];
  } catch (error) {
    return [toFailure(error, 0)];
  }
}

/** Opens a prepared database for reading. With a write-ahead log, another connection can write at the same time. */
export function openReader(file: string, timeout = BUSY_TIMEOUT_MS): DatabaseSync {
  const database = new DatabaseSync(file, { timeout });
  // A read-only connection would not work, because readers write to the index of the log. The first read creates that index.
  database.exec('PRAGMA query_only = ON; SELECT 1 FROM sqlite_schema');
  return database;
}

/**
 * Starts to measure this thread's work in milliseconds. Only processor time counts, unless the process has read from the disk.
 */
export function startMeter(): () => number {
  const [start, busy, { fsRead }] = [performance.now(), process.threadCpuUsage(), process.resourceUsage()];
  return () => {
    const { user, system } = process.threadCpuUsage(busy);
    return process.resourceUsage().fsRead > fsRead ? performance.now() - start : (user + system) / 1_000;
  };
}

/** Creates a function that runs a batch of reads. */
export function createBatchReader(database: DatabaseSync): RunBatch {
  const run = createStatements(database);
  return (batch) =>
    batch.map((entry, index) => {
      try {
        const { statements } = entry as Extract<Entry, { statements: unknown }>;
        const measure = startMeter();
        const rows = statements.flatMap(({ text, values }) => run(text, values));
        return { index, rows, milliseconds: measure() };
      } catch (error) {
        return toFailure(error, index);
      }
    });
}
