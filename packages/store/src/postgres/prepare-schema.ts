import type { PoolClient } from 'pg';
import type { AnySchema } from '../schema';
import type { PostgresServers } from './servers';

// A migration may have to read and write large tables.
const MIGRATION_MS = 60 * 60_000;

/**
 * Makes or migrates the tables. Any number of servers may do so at the same time.
 *
 * @throws Error when the tables have another version, or when the database could lose or change an acknowledged row
 */
export async function prepareSchema(servers: PostgresServers, schema: AnySchema): Promise<void> {
  const version = await servers.use(async (client) => {
    await assertKeeping(client);
    return readVersion(client, schema);
  });
  if (version < schema.migrations.length) await servers.use((client) => migrate(client, schema), MIGRATION_MS);
  await servers.use((client) => assertTables(client, schema));
}

async function migrate(client: PoolClient, schema: AnySchema): Promise<void> {
  const { id, migrations, versionTable } = schema;
  for (;;) {
    // Each statement has to see what another server has committed before this one got the lock.
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    await client.query(`SELECT pg_advisory_xact_lock(${String(id)})`);
    const version = await readVersion(client, schema);
    const migration = migrations[version];
    if (migration !== undefined) {
      await client.query(migration.postgres);
      if (version === 0) await client.query(`CREATE TABLE ${versionTable} (version integer PRIMARY KEY)`);
      const set = version === 0 ? `INSERT INTO ${versionTable} VALUES ($1)` : `UPDATE ${versionTable} SET version = $1`;
      await client.query(set, [version + 1]);
    }
    await client.query('COMMIT');
    if (migration === undefined) return;
  }
}

/** @returns 0 when there are no tables yet */
async function readVersion(client: PoolClient, { migrations, versionTable }: AnySchema): Promise<number> {
  // Not to_regclass: inside a transaction it may cache that the table is missing.
  const { rowCount } = await client.query(
    `SELECT 1 FROM information_schema.tables WHERE table_name = $1 AND table_schema = ANY (current_schemas(false))`,
    [versionTable],
  );
  if (rowCount === 0) return 0;
  const { rows } = await client.query<{ version: number }>(`SELECT version FROM ${versionTable}`);
  const version = rows[0]?.version ?? 0;
  if (version >= 1 && version <= migrations.length) return version;
  const age = version > migrations.length ? 'a newer' : 'another';
  throw new Error(`its table was made by ${age} version (its format is ${String(version)})`);
}

async function assertTables(client: PoolClient, { tables }: AnySchema): Promise<void> {
  for (const [table, { postgres }] of Object.entries(tables)) {
    await client.query(`SELECT ${postgres.columns.join(', ')} FROM ${table} LIMIT 0`);
  }
  await assertPlain(client, Object.keys(tables));
}

// Includes partitions. Bit 4 of tgtype is INSERT (pg_trigger.h).
async function assertPlain(client: PoolClient, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string; what: string | null }>(
    `WITH RECURSIVE parts (part) AS (
       SELECT name::regclass::oid FROM unnest($1::text[]) AS name
       UNION SELECT inhrelid FROM pg_inherits JOIN parts ON inhparent = part)
     SELECT relname AS name, CASE
       WHEN relkind NOT IN ('r', 'p') THEN 'is no table'
       WHEN relpersistence <> 'p' THEN 'is not logged'
       WHEN rulename IS NOT NULL THEN 'has the rule ' || rulename
       WHEN tgname IS NOT NULL THEN 'has the trigger ' || tgname END AS what
     FROM parts JOIN pg_class ON pg_class.oid = part
     LEFT JOIN pg_rewrite ON ev_class = part AND ev_type = '3'
     LEFT JOIN pg_trigger ON tgrelid = part AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & 4 <> 0`,
    [tables],
  );
  const found = rows.find(({ what }) => what !== null);
  if (found !== undefined) {
    throw new Error(`${found.name} ${String(found.what)}: what is acknowledged might not be kept`);
  }
}

// A compatible engine may not have a setting; then it is null.
async function assertKeeping(client: PoolClient): Promise<void> {
  const { rows } = await client.query<Record<string, string | null>>(
    `SELECT current_setting('synchronous_commit', true) AS synchronous_commit, current_setting('fsync', true) AS fsync,
            current_setting('server_encoding', true) AS encoding`,
  );
  for (const { encoding, ...settings } of rows) {
    const off = Object.keys(settings).find((name) => settings[name] === 'off');
    if (off !== undefined) throw new Error(`${off} is off: it would acknowledge before the row is on disk`);
    if (encoding != null && encoding !== 'UTF8')
      throw new Error(`its encoding is ${encoding}, which not all text fits`);
  }
}
