// Runs statements in PostgreSQL, and repeats transactions that it rolled back.
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, TypeOverrides, types, type PoolClient } from 'pg';
import { StoreUnavailable } from '../store';
import type { ReturnedRow, RunSql, TransactionWork } from '../queue';
import { StatementError, type Sql } from '../statement';
import type { PostgresServers } from './pool';

// All integers are bigints, as in SQLite.
const BIGINTS = new TypeOverrides();
for (const type of ['INT2', 'INT4', 'INT8'] as const) BIGINTS.setTypeParser(types.builtins[type], BigInt);

/**
 * Makes the transaction around it wait for the disk, though the settings of its role, database or server do not; others of
 * their values stay. By itself, since a pooler in transaction mode may run the next one on a connection of other settings.
 * While fsync is off, it fails: that is a setting of the whole server.
 */
export const MAKE_DURABLE = `SELECT max(set_config(name, 'on', true))
  FROM unnest(ARRAY['fsync', 'synchronous_commit']) AS name WHERE current_setting(name, true) = 'off'`;

// Even without values: the simple protocol would take several statements. The types of pg do not declare it.
const EXTENDED = { types: BIGINTS, queryMode: 'extended' };

/** Runs a statement. @returns the rows that it returns, or an empty one for each row that it changes */
export async function runStatement(client: PoolClient, { text, values }: Sql): Promise<readonly ReturnedRow[]> {
  const result = await client.query<Record<string, unknown>>({ text, values: [...values], ...EXTENDED });
  if (result.command === 'COPY') throw new StatementError('a statement must not be COPY, whose rows are not returned');
  // Only a statement that returns rows has fields.
  if (result.fields.length > 0) return result.rows;
  return Array.from({ length: Number(result.rowCount) }, () => ({}));
}

// PostgreSQL only warns of a COMMIT after a statement that ended its transaction, such as ROLLBACK. AND CHAIN begins another.
const CHAIN = /^\s*(COMMIT|END|ROLLBACK|ABORT)\b.*\bAND\s+CHAIN\b/is;

async function runInTransaction(client: PoolClient, sql: Sql): Promise<readonly ReturnedRow[]> {
  const rows = await runStatement(client, sql);
  // T: a transaction is open.
  const isOpen = client.getTransactionStatus() === 'T' && !CHAIN.test(sql.text);
  if (!isOpen) throw new StatementError('a statement must not end its transaction');
  return rows;
}

/** All or none: a statement that changes no row undoes those before it, unless it is optional. */
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

// The server ends the transaction if this process stops in its midst: others wait for what it has locked.
const BEGIN = `BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL idle_in_transaction_session_timeout = '10s'; ${MAKE_DURABLE}`;

/** Runs the work of a transaction from its begin to its end. @throws the error of a statement, if the work does not */
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
  // Whatever the work made of that, it has to be tried again.
  if (isRolledBack(failure)) throw failure;
  await client.query(isKept ? 'COMMIT' : 'ROLLBACK');
  return [];
}

/**
 * Runs `work` on a connection, and keeps that if only the values are at fault, such as a row that exists already, or another
 * transaction. The pool closes a connection whose work throws, and a client could make the service connect anew with each
 * request.
 */
export async function useConnection<T>(servers: PostgresServers, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const getResult = await servers.use(async (client) => {
    try {
      const result = await work(client);
      return () => result;
    } catch (error) {
      if (!isDataError(error) && !isRolledBack(error) && !(error instanceof StatementError)) throw error;
      // Ends the transaction of `work`, if it has one; otherwise it is a warning only.
      await client.query('ROLLBACK');
      return () => {
        throw error;
      };
    }
  });
  return getResult();
}

// Classes of SQLSTATE (PostgreSQL, appendix A) for bad values: data exception, constraint violation, limit exceeded, and
// what a function in PL/pgSQL raises.
const DATA_ERRORS = new Set(['22', '23', '54', 'P0']);
// Classes for an unavailable store: connection, transaction state (such as read-only), authorization, no such database,
// rollback, resources, object in use, operator intervention, system; and of class 42, a right that is missing.
const UNAVAILABLE = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58', '42501']);
// Serialization failure and deadlock: nothing of the transaction was kept.
const ROLLED_BACK = new Set(['40001', '40P01']);

const MAX_TRIES = 10;
const MAX_PAUSE_MS = 64;

/**
 * Runs `work`, and again if PostgreSQL rolled it back because of another transaction, after a pause that is longer each
 * time: half a second in all on average.
 *
 * @throws StoreUnavailable when the database is at fault, or else its error
 */
export async function tryAgain<T>(
  work: () => Promise<T>,
  verbOfError: 'read' | 'written',
  isUnavailable = isUnavailableForStatement,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (!isRolledBack(error) || tries === MAX_TRIES) {
        throw new StoreUnavailable(`the database cannot be ${verbOfError}`, { cause: error });
      }
      await sleep(Math.random() * Math.min(2 ** tries, MAX_PAUSE_MS));
    }
  }
}

/**
 * Creates a function that runs `work`, which tries again by itself, and once more if PostgreSQL rolled back each try. Then
 * what begins later waits for it, or it might never find what it changes without another transaction.
 */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  // Never rejected.
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

/** Whether the values of a row or statement are at fault. */
export function isDataError(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && DATA_ERRORS.has(classOf(error));
}

// Any error that the database did not report is an error of the connection.
function isUnavailableForStatement(error: unknown): boolean {
  if (error instanceof StatementError) return false;
  if (!(error instanceof DatabaseError)) return true;
  // A statement with too few or too many values. Of a pooler that cannot go on, the same code is FATAL.
  if (error.code === '08P01' && error.severity === 'ERROR') return false;
  return UNAVAILABLE.has(classOf(error)) || UNAVAILABLE.has(String(error.code));
}

// The first two characters of an SQLSTATE are its class.
function classOf(error: DatabaseError): string {
  return String(error.code).slice(0, 2);
}
