// Migrates a database in PostgreSQL.
import { setTimeout } from 'node:timers/promises';
import { DatabaseError, type PoolClient } from 'pg';
import type { AnySchema } from '../schema';
import { findNextMigration, type NextMigration, type Version } from '../version';
import type { PostgresTimes } from './times';

// The SQLSTATE of a statement that waited too long for a lock (PostgreSQL, appendix A).
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Applies the missing migrations, each in a transaction of its own. One server applies a migration while the others
 * wait for it. A migration that waits for a lock of another session gives up and tries again, until the deadline.
 */
export async function migrate(
  client: PoolClient,
  schema: AnySchema,
  { lock: lockTimeout, migration: timeout }: PostgresTimes,
  warn?: (message: string) => void,
): Promise<void> {
  const deadline = Date.now() + timeout;
  for (let tries = 1; ; tries++) {
    try {
      while (await applyNextMigration(client, schema, lockTimeout));
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE || Date.now() > deadline) throw error;
      await client.query('ROLLBACK');
      if (tries === 1) warn?.('another session has locked what a migration needs, which waits for it');
      // The queries that queued behind the migration go first.
      await setTimeout(lockTimeout);
    }
  }
}

// False when there is none.
async function applyNextMigration(client: PoolClient, schema: AnySchema, lockTimeout: number): Promise<boolean> {
  // READ COMMITTED: each statement has to see what another server has committed before this one got the lock.
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  // Every query of a table queues behind a migration that waits for that table's lock: wait only briefly.
  await client.query(`SET LOCAL lock_timeout = ${String(lockTimeout)}`);
  // One server at a time, until the end of the transaction.
  await client.query(`SELECT pg_advisory_xact_lock(${String(schema.id)})`);
  const next = findNextMigration(schema, await readVersion(client, schema));
  if (next !== undefined) await applyMigration(client, next, schema);
  await client.query('COMMIT');
  return next !== undefined;
}

// Stores the version that the tables have after it, too; the first migration leads to version 1.
async function applyMigration(
  client: PoolClient,
  { postgres: sql, applied, compatibleFrom }: NextMigration,
  { versionTable }: AnySchema,
): Promise<void> {
  await client.query(sql);
  // T: a transaction is open.
  if (client.getTransactionStatus() !== 'T') throw new Error('a migration may not end its transaction');
  if (applied === 1) {
    await client.query(`CREATE TABLE ${versionTable} (version integer PRIMARY KEY)`);
    await client.query(`INSERT INTO ${versionTable} VALUES (1)`);
    return;
  }
  // The first migration has made the table without this column, as the first release did.
  await client.query(`ALTER TABLE ${versionTable} ADD COLUMN IF NOT EXISTS migrations integer`);
  await client.query(`UPDATE ${versionTable} SET version = $1, migrations = $2`, [compatibleFrom, applied]);
}

/** @returns undefined when there are no tables yet */
export async function readVersion(client: PoolClient, { versionTable }: AnySchema): Promise<Version | undefined> {
  // Not to_regclass: inside a transaction it may cache that the table is missing.
  const { rowCount } = await client.query(
    `SELECT 1 FROM information_schema.tables WHERE table_name = $1 AND table_schema = ANY (current_schemas(false))`,
    [versionTable],
  );
  if (rowCount === 0) return undefined;
  const { rows } = await client.query<{ version: number; migrations?: number | null }>(`SELECT * FROM ${versionTable}`);
  const { version = 0, migrations } = rows[0] ?? {};
  // The first release had one number for both.
  return { compatibleFrom: version, applied: migrations ?? version };
}
