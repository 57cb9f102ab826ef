// Runs statements in PostgreSQL, and retries transactions that were rolled back.
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, TypeOverrides, types, type PoolClient } from 'pg';
import { StoreUnavailable } from '../store';
import type { ReturnedRow, RunSql, TransactionWork } from '../queue';
import { StatementError, type Sql } from '../statement';
import type { PostgresServers } from './pool';

// Integers are parsed as bigints, as with SQLite.
const BIGINT_TYPES = new TypeOverrides();
for (const type of ['INT2', 'INT4', 'INT8'] as const) BIGINT_TYPES.setTypeParser(types.builtins[type], BigInt);

/**
 * Makes the current transaction wait for the disk, even if synchronous_commit is off for its role, database or server. Every
 * transaction needs this, because a pooler can run it on another connection. This SQL fails if fsync is off, because that can be
 * changed only for the whole server.
 */
export const MAKE_DURABLE = `SELECT max(set_config(name, 'on', true))
  FROM unnest(ARRAY['fsync', 'synchronous_commit']) AS name WHERE current_setting(name, true) = 'off'`;

// For a statement without values, pg would use the simple protocol, which accepts several statements.
const QUERY_OPTIONS = { types: BIGINT_TYPES, queryMode: 'extended' };

/** @returns the rows that a statement returns, or an empty row for each row that it changes */
export async function runStatement(client: PoolClient, { text, values }: Sql): Promise<readonly ReturnedRow[]> {
  const result = await client.query<Record<string, unknown>>({ text, values: [...values], ...QUERY_OPTIONS });
  if (result.command === 'COPY') throw new StatementError('a statement must not be COPY, whose rows are not returned');
  if (result.fields.length > 0) return result.rows;
  return Array.from({ length: Number(result.rowCount) }, () => ({}));
}

// AND CHAIN immediately begins another transaction, so the status does not show that the first one has ended.
const CHAIN = /^\s*(COMMIT|END|ROLLBACK|ABORT)\b.*\bAND\s+CHAIN\b/is;

async function runInTransaction(client: PoolClient, sql: Sql): Promise<readonly ReturnedRow[]> {
  const rows = await runStatement(client, sql);
  // T means that a transaction is open. If it is not, PostgreSQL only warns about the following COMMIT.
  const isOpen = client.getTransactionStatus() === 'T' && !CHAIN.test(sql.text);
  if (!isOpen) throw new StatementError('a statement must not end its transaction');
  return rows;
}

/** Runs statements in one transaction. If one that is not optional changes no row, the earlier ones are undone. */
export async function runStatements(client: PoolClient, statements: readonly Sql[]): Promise<readonly ReturnedRow[]> {
  let rows: readonly ReturnedRow[] = [];
  await client.query(`BEGIN; ${MAKE_DURABLE}`);
  for (const statement of statements) {
    rows = await runInTransaction(client, statement);
    if (rows.length > 0 || statement.isOptional) continue;
    await client.query('ROLLBACK');
    return [];
  }
  await client.query('COMMIT');
  return rows;
}

// Begins a transaction. If this process hangs, the server ends the transaction, because others wait for its locks.
const BEGIN = `BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL idle_in_transaction_session_timeout = '10s'; ${MAKE_DURABLE}`;

/** @throws the error of a statement that PostgreSQL rolled back, even if `work` caught it */
export async function runTransaction(client: PoolClient, work: TransactionWork, limit: number): Promise<[]> {
  let failure: unknown;
  const run: RunSql = async (sql) => {
    try {
      return await runInTransaction(client, sql);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  await client.query(BEGIN);
  const isKept = await work(run, limit);
  if (isRolledBack(failure)) throw failure;
  await client.query(isKept ? 'COMMIT' : 'ROLLBACK');
  return [];
}

/**
 * Runs `work` on a connection. The pool closes a connection if its work throws. To stop clients from forcing a reconnect with
 * each request, the connection is kept if the error was caused by the values or by another transaction.
 */
export async function useConnection<T>(servers: PostgresServers, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const getResult = await servers.use(async (client) => {
    try {
      const result = await work(client);
      return () => result;
    } catch (error) {
      if (!isDataError(error) && !isRolledBack(error) && !(error instanceof StatementError)) throw error;
      // If no transaction is open, PostgreSQL only warns.
      await client.query('ROLLBACK');
      return () => {
        throw error;
      };
    }
  });
  return getResult();
}

// SQLSTATE classes (PostgreSQL, appendix A) for errors in data, constraints and limits, and errors raised by PL/pgSQL.
const DATA_ERROR_CLASSES = new Set(['22', '23', '54', 'P0']);
// SQLSTATE classes for an unavailable database: connection, transaction state (such as read-only), authorization, missing
// database, rollback, resources, object in use, operator intervention and system. The code 42501 is a missing privilege.
const UNAVAILABLE_CODES = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58', '42501']);
// Serialization failure and deadlock.
const ROLLBACK_CODES = new Set(['40001', '40P01']);

const MAX_TRIES = 10;
const MAX_PAUSE_MS = 64;

/**
 * Runs `work`, and retries it if PostgreSQL rolled it back because of another transaction. The pauses between attempts grow, and
 * add up to half a second on average.
 *
 * @throws StoreUnavailable if the database cannot be used, or any other error of `work`
 */
export async function retry<T>(
  work: () => Promise<T>,
  deniedAction: 'read' | 'written',
  isUnavailable = isUnavailableForStatement,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (!isRolledBack(error) || tries === MAX_TRIES) {
        throw new StoreUnavailable(`the database cannot be ${deniedAction}`, { cause: error });
      }
      await sleep(Math.random() * Math.min(2 ** tries, MAX_PAUSE_MS));
    }
  }
}

/**
 * Creates a function that runs `work`, which retries itself. If PostgreSQL rolled back every attempt, the function runs it once
 * more while all later work waits, because other transactions could otherwise interfere forever.
 */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let lastTurn: Promise<unknown> = Promise.resolve();
  return async (work) => {
    await lastTurn;
    try {
      return await work();
    } catch (error) {
      if (!isRolledBack((error as Error).cause)) throw error;
      const turn = lastTurn.then(work);
      lastTurn = turn.catch(() => undefined);
      return await turn;
    }
  };
}

function isRolledBack(error: unknown): boolean {
  return error instanceof DatabaseError && ROLLBACK_CODES.has(String(error.code));
}

export function isDataError(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && DATA_ERROR_CLASSES.has(classOf(error));
}

function isUnavailableForStatement(error: unknown): boolean {
  if (error instanceof StatementError) return false;
  if (!(error instanceof DatabaseError)) return true;
  // The statement has too few or too many values. With the severity FATAL, this code means that a pooler cannot continue.
  if (error.code === '08P01' && error.severity === 'ERROR') return false;
  return UNAVAILABLE_CODES.has(classOf(error)) || UNAVAILABLE_CODES.has(String(error.code));
}

function classOf(error: DatabaseError): string {
  return String(error.code).slice(0, 2);
}
