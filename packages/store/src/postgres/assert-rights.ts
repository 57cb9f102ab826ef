// Asserts that the role of a connection may read the tables and add rows.
import type { PoolClient } from 'pg';
import type { AnySchema } from '../schema';

/**
 * Takes no lock that a write would wait for. Which rights the statements of a service need besides is not known.
 *
 * @throws Error that names the table
 */
export async function assertRights(client: PoolClient, { tables }: AnySchema): Promise<void> {
  const used = Object.entries(tables).map(([table, { postgres }]) => ({ table, columns: postgres.columns }));
  await client.query(used.map(({ table, columns }) => `SELECT ${columns.join(', ')} FROM ${table} LIMIT 0`).join('; '));
  const pairs = used.flatMap(({ table, columns }) => columns.map((column) => [table, column]));
  // Of the columns, since a role may have the right for them alone.
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[], $2::text[]) AS used (name, part)
     WHERE NOT has_column_privilege(name, part, 'INSERT')`,
    [pairs.map(([table]) => table), pairs.map(([, column]) => column)],
  );
  if (rows[0]) throw new Error(`permission denied to INSERT into ${rows[0].name}`);
}
