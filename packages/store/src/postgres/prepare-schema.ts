import type { PoolClient } from 'pg';
import type { AnySchema } from '../schema';
import { findNextMigration } from '../version';
import { assertRights } from './assert-rights';
import { migrate, readVersion } from './migrate';
import type { PostgresServers } from './servers';
import type { PostgresTimes } from './times';

/**
 * Creates or migrates the tables. Any number of servers may do so at the same time.
 *
 * @throws Error when the tables have another version, or when the database could lose or change an acknowledged row
 */
export async function prepareSchema(
  servers: PostgresServers,
  schema: AnySchema,
  times: PostgresTimes,
  warn?: (message: string) => void,
): Promise<void> {
  const missing = await servers.use(async (client) => {
    await assertDurable(client);
    return findNextMigration(schema, await readVersion(client, schema));
  });
  // `migrate` waits for locks for half of it.
  const timeout = 2 * times.migration;
  if (missing !== undefined) await servers.use((client) => migrate(client, schema, times, warn), timeout);
  await servers.use(async (client) => {
    await assertRights(client, schema);
    await assertPlainTables(client, Object.keys(schema.tables));
  });
}

// Asserts that no table, and no partition of one, is a view, is unlogged, or has a rule or an enabled trigger for
// INSERT: these could lose or change rows. In PostgreSQL's catalogs, relkind r is a table and p a partitioned one,
// relpersistence p is permanent, ev_type 3 is INSERT, tgenabled D is disabled, and bit 4 of tgtype is INSERT
// (pg_trigger.h).
async function assertPlainTables(client: PoolClient, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string; problem: string | null }>(
    `WITH RECURSIVE parts (part) AS (
       SELECT name::regclass::oid FROM unnest($1::text[]) AS name
       UNION SELECT inhrelid FROM pg_inherits JOIN parts ON inhparent = part)
     SELECT relname AS name, CASE
       WHEN relkind NOT IN ('r', 'p') THEN 'is no table'
       WHEN relpersistence <> 'p' THEN 'is not logged'
       WHEN rulename IS NOT NULL THEN 'has the rule ' || rulename
       WHEN tgname IS NOT NULL THEN 'has the trigger ' || tgname END AS problem
     FROM parts JOIN pg_class ON pg_class.oid = part
     LEFT JOIN pg_rewrite ON ev_class = part AND ev_type = '3'
     LEFT JOIN pg_trigger ON tgrelid = part AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & 4 <> 0`,
    [tables],
  );
  const found = rows.find(({ problem }) => problem !== null);
  if (found !== undefined) {
    throw new Error(`${found.name} ${String(found.problem)}: what is acknowledged might not be kept`);
  }
}

// Asserts that the server acknowledges a row only when it is on disk, and that any text can be stored. A setting that a
// compatible engine does not have is null, and is not checked.
async function assertDurable(client: PoolClient): Promise<void> {
  const { rows } = await client.query<Record<string, string | null>>(
    `SELECT current_setting('synchronous_commit', true) AS synchronous_commit, current_setting('fsync', true) AS fsync,
            current_setting('server_encoding', true) AS encoding`,
  );
  for (const { encoding, ...settings } of rows) {
    const nameOfOff = Object.keys(settings).find((name) => settings[name] === 'off');
    if (nameOfOff !== undefined) throw new Error(`${nameOfOff} is off: it would acknowledge before the row is on disk`);
    if (encoding != null && encoding !== 'UTF8')
      throw new Error(`its encoding is ${encoding}, which not all text fits`);
  }
}
