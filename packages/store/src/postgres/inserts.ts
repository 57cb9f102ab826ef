import type { PoolClient } from 'pg';
import type { AnySchema, PostgresValue, Row, Rows } from '../schema';

/** Statements that store a batch in one transaction. */
export type Inserts = readonly { readonly text: string; readonly values: PostgresValue[] }[];

// The protocol counts the parameters of a statement with 16 bits.
const MAX_PARAMETERS = 65_535;

/** Creates a function that makes one INSERT for all rows of a table, or several when it has too many parameters. */
export function createInserts({ tables }: AnySchema): (rows: readonly Row<PostgresValue>[]) => Inserts {
  const creators = Object.entries(tables).map(([table, { postgres }]) => createInsert(table, postgres));
  return (rows) =>
    creators.flatMap((create, index) => create(rows.filter(([table]) => table === index).map(([, values]) => values)));
}

function createInsert(
  table: string,
  { columns, key }: Rows<never, PostgresValue>,
): (rows: (readonly PostgresValue[])[]) => Inserts {
  const start = `INSERT INTO ${table} (${columns.join(', ')}) VALUES `;
  const end = ` ON CONFLICT (${key.join(', ')}) DO NOTHING`;
  const keyColumns = key.map((column) => columns.indexOf(column));
  const maxRows = Math.floor(MAX_PARAMETERS / columns.length);
  // ($1,$2), then ($3,$4) and so on, by row. Kept, since writing them takes longer than the rest.
  const placeholders: string[] = [];

  function writePlaceholders(rows: number): string {
    for (let row = placeholders.length; row < rows; row++) {
      placeholders.push(`(${columns.map((_, column) => `$${String(columns.length * row + column + 1)}`).join()})`);
    }
    return placeholders.slice(0, rows).join();
  }

  return (rows) => {
    // All servers lock rows in the order of the key, so that they never deadlock.
    rows.sort((one, other) => compareRows(keyColumns, one, other));
    return Array.from({ length: Math.ceil(rows.length / maxRows) }, (_, part) => {
      const values = rows.slice(part * maxRows, (part + 1) * maxRows);
      return { text: start + writePlaceholders(values.length) + end, values: values.flat() };
    });
  };
}

function compareRows(key: readonly number[], one: readonly PostgresValue[], other: readonly PostgresValue[]): number {
  for (const column of key) {
    const order = compareValues(one[column], other[column]);
    if (order !== 0) return order;
  }
  return 0;
}

// Any order does, as long as all servers have the same.
function compareValues(one: unknown, other: unknown): number {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other);
  return (one as string) < (other as string) ? -1 : (one as string) > (other as string) ? 1 : 0;
}

/** Stores a batch. */
export async function runInserts(client: PoolClient, inserts: Inserts): Promise<void> {
  // One statement is a transaction by itself.
  const isSingle = inserts.length === 1;
  if (!isSingle) await client.query('BEGIN');
  // Not named statements: a pooler in transaction mode may run the next one on another connection.
  for (const { text, values } of inserts) await client.query(text, values);
  if (!isSingle) await client.query('COMMIT');
}
