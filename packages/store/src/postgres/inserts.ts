import type { PoolClient } from 'pg';
import type { AnySchema, PostgresValue, Row, Rows } from '../schema';

/** Statements that store a batch in one transaction. */
export type Inserts = readonly { readonly text: string; readonly values: PostgresValue[] }[];

// The protocol counts the parameters of a statement with 16 bits.
const PARAMETERS = 65_535;

/** @returns a function that makes one statement of all rows of a table, as a rule */
export function createInserts({ tables }: AnySchema): (rows: readonly Row<PostgresValue>[]) => Inserts {
  const creators = Object.entries(tables).map(([table, { postgres }]) => createInsert(table, postgres));
  return (rows) =>
    creators.flatMap((create, place) => create(rows.filter(([table]) => table === place).map(([, values]) => values)));
}

function createInsert(
  table: string,
  { columns, key }: Rows<never, PostgresValue>,
): (rows: (readonly PostgresValue[])[]) => Inserts {
  const start = `INSERT INTO ${table} (${columns.join(', ')}) VALUES `;
  const end = ` ON CONFLICT (${key.join(', ')}) DO NOTHING`;
  const keyColumns = key.map((column) => columns.indexOf(column));
  const most = Math.floor(PARAMETERS / columns.length);
  // ($1,$2), then ($3,$4): made once, since they take longer than the rest.
  const places: string[] = [];

  function toPlaces(rows: number): string {
    for (let row = places.length; row < rows; row++) {
      places.push(`(${columns.map((_, column) => `$${String(columns.length * row + column + 1)}`).join()})`);
    }
    return places.slice(0, rows).join();
  }

  return (rows) => {
    // In the order of the key: all servers lock rows in this order, so that they never deadlock.
    rows.sort((one, other) => compareRows(keyColumns, one, other));
    return Array.from({ length: Math.ceil(rows.length / most) }, (_, part) => {
      const values = rows.slice(part * most, (part + 1) * most);
      return { text: start + toPlaces(values.length) + end, values: values.flat() };
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

// Any order will do that is the same for all servers.
function compareValues(one: unknown, other: unknown): number {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other);
  return (one as string) < (other as string) ? -1 : (one as string) > (other as string) ? 1 : 0;
}

/** Stores a batch. */
export async function runInserts(client: PoolClient, inserts: Inserts): Promise<void> {
  const isAlone = inserts.length === 1;
  if (!isAlone) await client.query('BEGIN');
  // Not named statements: a pooler in transaction mode may run the next one on another connection.
  for (const { text, values } of inserts) await client.query(text, values);
  if (!isAlone) await client.query('COMMIT');
}
