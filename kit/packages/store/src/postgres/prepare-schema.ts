// Creates, migrates and checks the tables of a PostgreSQL database.
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { type PoolClient, DatabaseError } from 'pg';
import { type AnySchema, findNextMigration, type NextMigration, rowsOf, type Version } from '../schema';
import type { PostgresTimes, PostgresServers } from './pool';

/**
 * Creates or migrates the tables. Several servers can safely do this at the same time.
 *
 * @throws Error if the version of the tables is unusable, or if the database could lose or change an acknowledged row
 */
export async function prepareSchema(
  servers: PostgresServers,
  schema: AnySchema,
  times: PostgresTimes,
  warn?: (message: string) => void,
): Promise<void> {
  const missingMigration = await servers.use(async (client) => {
    await assertDurable(client);
    return findNextMigration(schema, await readVersion(client, schema));
  });
  if (missingMigration !== undefined) await migrate(servers, schema, times, warn);
  await servers.use((client) => assertTables(client, schema));
}

/**
 * Asserts that rows can be added and will be kept. It takes no lock that could delay a write.
 *
 * @throws Error that names the table or the setting
 */
export async function assertTables(client: PoolClient, schema: AnySchema): Promise<void> {
  // synchronous_commit is not checked, because each commit sets it.
  await assertDurable(client, ['fsync']);
  await assertPlainTables(client, schema);
  await assertInsertable(client, schema);
}

/**
 * Asserts that no table or partition is a view, is unlogged, or has a rule or trigger for INSERT, because they could lose or
 * change rows. In PostgreSQL's catalogs, relkind r is a table, relkind p is a partitioned table, relpersistence p is permanent,
 * ev_type 3 is INSERT, tgenabled D is disabled, and bit 4 of tgtype is INSERT (pg_trigger.h).
 */
export async function assertPlainTables(client: PoolClient, { tables }: AnySchema): Promise<void> {
  const { rows } = await client.query<{ name: string; problem: string | null }>(
    `WITH RECURSIVE parts (part) AS (
       SELECT name::regclass::oid FROM unnest($1::text[]) AS name
       UNION SELECT inhrelid FROM pg_inherits JOIN parts ON inhparent = part)
     SELECT relname AS name, CASE
       WHEN relkind NOT IN ('r', 'p') THEN 'is not a table'
       WHEN relpersistence <> 'p' THEN 'is unlogged'
       WHEN rulename IS NOT NULL THEN 'has the rule ' || rulename
       WHEN tgname IS NOT NULL THEN 'has the trigger ' || tgname END AS problem
     FROM parts JOIN pg_class ON pg_class.oid = part
     LEFT JOIN pg_rewrite ON ev_class = part AND ev_type = '3'
     LEFT JOIN pg_trigger ON tgrelid = part AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & 4 <> 0`,
    [Object.keys(tables)],
  );
  const unsafeTable = rows.find(({ problem }) => problem !== null);
  if (unsafeTable !== undefined) {
    throw new Error(`${unsafeTable.name} ${String(unsafeTable.problem)}, so acknowledged rows might be lost`);
  }
}

// Asserts that these settings are not off. Compatible engines do not always have them.
async function assertDurable(client: PoolClient, settings = ['fsync', 'synchronous_commit']): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name = 'server_encoding' AND setting <> 'UTF8'
       OR name = ANY ($1) AND setting = 'off'`,
    [settings],
  );
  for (const { name, setting } of rows) {
    if (name === 'server_encoding')
      throw new Error(`its encoding is ${setting}, which cannot hold all text: create it with UTF8`);
    throw new Error(`${name} is off, so a row would be acknowledged before it is on disk: turn it on`);
  }
}

// EXPLAIN fails if a column, the unique index of the key, or the right to insert or select is missing.
async function assertInsertable(client: PoolClient, { tables }: AnySchema): Promise<void> {
  const plans = Object.entries(tables).map(([name, table]) => {
    const rows = rowsOf(table, 'postgres');
    const columns = rows.columns.join(', ');
    return `EXPLAIN INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${name} WHERE false
      ON CONFLICT (${rows.key.join(', ')}) DO NOTHING`;
  });
  await client.query(plans.join('; '));
}

// The SQLSTATE of a lock timeout (PostgreSQL, appendix A).
const LOCK_NOT_AVAILABLE = '55P03';
// Waits for the advisory lock are short, because another server's CREATE INDEX CONCURRENTLY waits until they end.
const MAX_ADVISORY_LOCK_WAIT_MS = 100;

// Applies the missing migrations, each in its own transaction and on one server at a time. If a migration waits too long for
// another session's lock, it is rolled back and tried again.
async function migrate(
  servers: PostgresServers,
  schema: AnySchema,
  times: PostgresTimes,
  warn?: (message: string) => void,
): Promise<void> {
  const deadline = performance.now() + times.migration;
  for (let tries = 1; ; tries++) {
    try {
      while (await applyNextMigration(servers, schema, times));
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE || performance.now() > deadline)
        throw error;
      if (tries === 1) warn?.('a migration waits for a lock that another session holds');
      await setTimeout(times.lock);
    }
  }
}

function applyNextMigration(servers: PostgresServers, schema: AnySchema, times: PostgresTimes): Promise<boolean> {
  // Up to half of this time can be spent waiting for locks.
  const timeout = 2 * times.migration;
  return servers.use(async (client) => {
    // With READ COMMITTED, statements see what other servers committed before this one got the advisory lock. While this
    // transaction is idle, CREATE INDEX CONCURRENTLY does not wait for it.
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = 0;
      SET LOCAL lock_timeout = ${String(Math.min(times.lock, MAX_ADVISORY_LOCK_WAIT_MS))}`);
    // The lock is for the transaction, because PgBouncer does not support locks for the session.
    await client.query(`SELECT pg_advisory_xact_lock(${String(schema.id)})`);
    // While a migration waits for a table's lock, all queries on that table queue behind it, so the wait must be short.
    await client.query(`SET LOCAL lock_timeout = ${String(times.lock)}`);
    const next = findNextMigration(schema, await readVersion(client, schema));
    if (next?.transaction !== undefined) await servers.use((other) => runRepeatable(other, next, times.lock), timeout);
    else if (next !== undefined) await client.query(next.postgres);
    // T means that a transaction is open, and I that none is.
    if (client.getTransactionStatus() !== 'T') throw new Error('a migration must not end its transaction');
    if (next !== undefined) await writeVersion(client, next, schema);
    await client.query('COMMIT');
    return next !== undefined;
  }, timeout);
}

// An interrupted CREATE INDEX CONCURRENTLY leaves an invalid index, which IF NOT EXISTS would accept. If only the client was
// killed, the server is still building the index, so this function waits for it.
async function runRepeatable(client: PoolClient, next: NextMigration, pause: number): Promise<void> {
  // PostgreSQL would run several statements in one transaction. The extended protocol rejects them.
  const query = { text: next.postgres, queryMode: 'extended' };
  for (let isDone = false; ;) {
    // An index that is created ON ONLY a partitioned table (relkind I) is invalid until all partitions have one.
    const { rows } = await client.query<{ name: string; isBuilding: boolean }>(
      `SELECT indexrelid::regclass AS name,
         EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = indexrelid) AS "isBuilding"
         FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE NOT indisvalid AND relkind = 'i'
         AND pg_table_is_visible(indexrelid) AND strpos(lower($1), lower(relname)) > 0`,
      [query.text],
    );
    const [invalid] = rows;
    if (invalid === undefined) {
      if (isDone) break;
      const { command, rowCount } = await client.query(query);
      isDone = next.transaction !== 'batches' || rowCount === 0 || !/INSERT|UPDATE|DELETE|MERGE/.test(command);
    } else if (invalid.isBuilding) await setTimeout(pause);
    else {
      await client.query(`DROP INDEX CONCURRENTLY ${invalid.name}`);
      isDone = false;
    }
  }
  if (client.getTransactionStatus() !== 'I') throw new Error('a migration must not begin a transaction');
}

async function writeVersion(
  client: PoolClient,
  { applied, compatibleFrom }: NextMigration,
  { versionTable }: AnySchema,
): Promise<void> {
  if (applied === 1) {
    await client.query(`CREATE TABLE ${versionTable} (version integer PRIMARY KEY)`);
    await client.query(`INSERT INTO ${versionTable} VALUES (1)`);
    return;
  }
  // Like the first release, the first migration creates the table without this column.
  await client.query(`ALTER TABLE ${versionTable} ADD COLUMN IF NOT EXISTS migrations integer`);
  await client.query(`UPDATE ${versionTable} SET version = $1, migrations = $2`, [compatibleFrom, applied]);
}

/** @returns undefined if there are no tables yet */
async function readVersion(client: PoolClient, { versionTable }: AnySchema): Promise<Version | undefined> {
  // to_regclass is not used, because inside a transaction it can cache that the table is missing.
  const { rowCount } = await client.query(
    `SELECT 1 FROM information_schema.tables WHERE table_name = $1 AND table_schema = ANY (current_schemas(false))`,
    [versionTable],
  );
  if (rowCount === 0) return undefined;
  const { rows } = await client.query<{ version: number; migrations?: number | null }>(`SELECT * FROM ${versionTable}`);
  const { version = 0, migrations } = rows[0] ?? {};
  // The first release stored a single number, which is both.
  return { compatibleFrom: version, applied: migrations ?? version };
}
