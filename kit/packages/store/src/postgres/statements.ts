// Runs statements in PostgreSQL, and repeats transactions that were rolled back.
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, TypeOverrides, types, type PoolClient } from 'pg';
import { StoreUnavailable } from '../store';
import type { ReturnedRow, RunSql, TransactionWork } from '../queue';
import { StatementError, type Sql } from '../statement';
import type { PostgresServers } from './pool';

// Integers are bigints, as with SQLite.
const BIGINTS = new TypeOverrides();
for (const type of ['INT2', 'INT4', 'INT8'] as const) BIGINTS.setTypeParser(types.builtins[type], BigInt);

/**
 * Makes the current transaction wait for the disk even if synchronous_commit is off for its role, database or server. It has to be
 * in each transaction, because a pooler may run the next one on another connection. It fails if fsync is off, which can be
 * changed only for the whole server.
 */
export const MAKE_DURABLE = `SELECT max(set_config(name, 'on', true))
  FROM unnest(ARRAY['fsync', 'synchronous_commit']) AS name WHERE current_setting(name, true) = 'off'`;

// The simple protocol, which pg uses for a statement without values, would accept several statements.
const EXTENDED = { types: BIGINTS, queryMode: 'extended' };

/** @returns the rows that a statement returns, or else an empty one for each row that it changes */
export async function runStatement(client: PoolClient, { text, values }: Sql): Promise<readonly ReturnedRow[]> {
  const result = await client.query<Record<string, unknown>>({ text, values: [...values], ...EXTENDED });
  if (result.command === 'COPY') throw new StatementError('a statement must not be COPY, whose rows are not returned');
  if (result.fields.length > 0) return result.rows;
  return Array.from({ length: Number(result.rowCount) }, () => ({}));
}

// AND CHAIN begins another transaction at once, so the status does not show that the first has ended.
const CHAIN = /^\s*(COMMIT|END|ROLLBACK|ABORT)\b.*\bAND\s+CHAIN\b/is;

async function runInTransaction(client: PoolClient, sql: Sql): Promise<readonly ReturnedRow[]> {
  const rows = await runStatement(client, sql);
  // T means that a transaction is open. PostgreSQL would only warn about the COMMIT that follows.
  const isOpen = client.getTransactionStatus() === 'T' && !CHAIN.test(sql.text);
  if (!isOpen) throw new StatementError('a statement must not end its transaction');
  return rows;
}

/** Runs all statements or none: one that changes no row undoes those before it, unless it is optional. */
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

// The server ends the transaction if this process stops during it, because others wait for its locks.
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
 * Runs `work` on a connection, which it keeps if only the values or another transaction are at fault. The pool closes a
 * connection whose work throws, so a client could otherwise make the service reconnect with each request.
 */
export async function useConnection<T>(servers: PostgresServers, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const getResult = await servers.use(async (client) => {
    try {
      const result = await work(client);
      return () => result;
    } catch (error) {
      if (!isDataError(error) && !isRolledBack(error) && !(error instanceof StatementError)) throw error;
      // Without a transaction, this is only a warning.
      await client.query('ROLLBACK');
      return () => {
        throw error;
      };
    }
  });
  return getResult();
}

// Classes of SQLSTATE (PostgreSQL, appendix A) for invalid values: data, constraints, limits, and errors raised in PL/pgSQL.
const DATA_ERRORS = new Set(['22', '23', '54', 'P0']);
// Classes for an unavailable store: connection, transaction state (such as read-only), authorization, no such database,
// rollback, resources, object in use, operator intervention and system; from class 42, only a missing privilege.
const UNAVAILABLE = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58', '42501']);
// Serialization failure and deadlock, after which none of the transaction is kept.
const ROLLED_BACK = new Set(['40001', '40P01']);

const MAX_TRIES = 10;
const MAX_PAUSE_MS = 64;

/**
 * Runs `work`, and repeats it if PostgreSQL rolled it back because of another transaction. The pauses between attempts grow, and
 * add up to half a second on average.
 *
 * @throws StoreUnavailable if the database is at fault, or else its error
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
 * Creates a function that runs `work`, which retries itself. If PostgreSQL rolled back every attempt, it runs once more while all
 * later work waits, because other transactions could otherwise interfere forever.
 */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  // Never rejects.
  let alone: Promise<unknown> = Promise.resolve();
  return async (work) => {
    await alone;
    try {
      return await work();
    } catch (error) {
      if (!isRolledBack((error as Error).cause)) throw error;
      const turn = alone.then(work);
      alone = turn.catch(() => undefined);
      return await turn;
    }
  };
}

function isRolledBack(error: unknown): boolean {
  return error instanceof DatabaseError && ROLLED_BACK.has(String(error.code));
}

export function isDataError(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && DATA_ERRORS.has(classOf(error));
}

// An error that the database did not report comes from the connection.
function isUnavailableForStatement(error: unknown): boolean {
  if (error instanceof StatementError) return false;
  if (!(error instanceof DatabaseError)) return true;
  // A statement with too few or too many values. From a pooler that cannot continue, the same code is FATAL.
  if (error.code === '08P01' && error.severity === 'ERROR') return false;
  return UNAVAILABLE.has(classOf(error)) || UNAVAILABLE.has(String(error.code));
}

function classOf(error: DatabaseError): string {
  return String(error.code).slice(0, 2);
}
