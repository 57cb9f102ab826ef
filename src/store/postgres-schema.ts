import type { PoolClient } from 'pg';

const VERSION = 1;

// Any number that no other program locks.
const LOCK = 0x506c6e74;

// The key identifies a row, and begins with the id, so that the table can be partitioned by id. The digest stands for
// name and tag, which may be too long for an index. It is the SHA-256 of `5:Alder:tree`, or of `5:Alder` without a tag:
// the name's length in bytes of UTF-8, the name, the tag.
const SCHEMA = `
  CREATE TABLE plants (
    id bigint NOT NULL,
    name text NOT NULL,
    tag text,
    digest bytea NOT NULL,
    PRIMARY KEY (id, digest)
  );
  CREATE TABLE plants_version (version integer PRIMARY KEY);
  INSERT INTO plants_version VALUES (${String(VERSION)});`;

/**
 * Creates the tables if they are missing. Any number of servers may do so at the same time.
 *
 * @throws Error when the tables have another version, or when the database could lose or change an acknowledged plant
 */
export async function prepareSchema(client: PoolClient): Promise<void> {
  await assertKeeping(client);
  if (!(await hasTables(client))) await makeTables(client);
  const { rows } = await client.query<{ version: number }>('SELECT version FROM plants_version');
  const version = rows[0]?.version ?? 0;
  if (version !== VERSION) {
    const age = version > VERSION ? 'a newer' : 'another';
    throw new Error(`its table was made by ${age} version (its format is ${String(version)})`);
  }
  await client.query('SELECT id, name, tag, digest FROM plants LIMIT 0');
  await assertPlain(client);
}

// Includes partitions. Bit 4 of tgtype is INSERT (pg_trigger.h).
async function assertPlain(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ name: string; what: string | null }>(
    `WITH RECURSIVE parts (part) AS (
       SELECT 'plants'::regclass::oid UNION SELECT inhrelid FROM pg_inherits JOIN parts ON inhparent = part)
     SELECT relname AS name, CASE
       WHEN relkind NOT IN ('r', 'p') THEN 'is no table'
       WHEN relpersistence <> 'p' THEN 'is not logged'
       WHEN rulename IS NOT NULL THEN 'has the rule ' || rulename
       WHEN tgname IS NOT NULL THEN 'has the trigger ' || tgname END AS what
     FROM parts JOIN pg_class ON pg_class.oid = part
     LEFT JOIN pg_rewrite ON ev_class = part AND ev_type = '3'
     LEFT JOIN pg_trigger ON tgrelid = part AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & 4 <> 0`,
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
    if (off !== undefined) throw new Error(`${off} is off: it would acknowledge before the plant is on disk`);
    if (encoding != null && encoding !== 'UTF8')
      throw new Error(`its encoding is ${encoding}, which not all text fits`);
  }
}

async function hasTables(client: PoolClient): Promise<boolean> {
  // Not to_regclass: inside a transaction it may cache that the table is missing.
  const { rowCount } = await client.query(
    `SELECT 1 FROM information_schema.tables
     WHERE table_name = 'plants_version' AND table_schema = ANY (current_schemas(false))`,
  );
  return rowCount !== 0;
}

async function makeTables(client: PoolClient): Promise<void> {
  await client.query('BEGIN');
  await client.query(`SELECT pg_advisory_xact_lock(${String(LOCK)})`);
  if (!(await hasTables(client))) await client.query(SCHEMA);
  await client.query('COMMIT');
}
