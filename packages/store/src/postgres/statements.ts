// Runs statements in PostgreSQL.
import { TypeOverrides, types, type PoolClient } from 'pg';
import type { Returned } from '../queue';
import type { Sql } from '../statement';
import { MAKE_DURABLE } from './durable';
import { isDataError } from './try-again';

// All integers are bigints, as in SQLite.
const BIGINTS = new TypeOverrides();
for (const type of ['INT2', 'INT4', 'INT8'] as const) BIGINTS.setTypeParser(types.builtins[type], BigInt);

/** Runs a statement. @returns the rows that it returns, or an empty one for each row that it changes */
export async function runStatement(client: PoolClient, { text, values }: Sql): Promise<readonly Returned[]> {
  const result = await client.query<Record<string, unknown>>({ text, values: [...values], types: BIGINTS });
  // Only a statement that returns rows has fields.
  if (result.fields.length > 0) return result.rows;
  return Array.from({ length: Number(result.rowCount) }, () => ({}));
}

/** All or none: a statement that changes no row undoes those before it, unless it is optional. */
export async function runStatements(client: PoolClient, statements: readonly Sql[]): Promise<readonly Returned[]> {
  let rows: readonly Returned[] = [];
  await client.query(`BEGIN; ${MAKE_DURABLE}`);
  for (const statement of statements) {
    rows = await runStatement(client, statement);
    if (rows.length > 0 || statement.isOptional) continue;
    await client.query('ROLLBACK');
    return [];
  }
  await client.query('COMMIT');
  return rows;
}

/**
 * Keeps the connection if only the values are at fault, such as a row that exists already. The pool closes a connection
 * whose work throws, and a client could make the service connect anew with each request. The returned function throws
 * instead.
 */
export async function keepConnection<T>(client: PoolClient, work: () => Promise<T>): Promise<() => T> {
  try {
    const result = await work();
    return () => result;
  } catch (error) {
    if (!isDataError(error)) throw error;
    // Ends the transaction of `work`, if it has one; otherwise it is a warning only.
    await client.query('ROLLBACK');
    return () => {
      throw error;
    };
  }
}
