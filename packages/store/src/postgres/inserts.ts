import type { PoolClient } from 'pg';
import type { AnySchema, PostgresValue, Row } from '../schema';

/** Statements that store a batch in one transaction. */
export type Inserts = readonly { readonly text: string; readonly values: PostgresValue[] }[];

interface Table {
  readonly start: string;
  readonly end: string;
  readonly columns: number;
  /** The places of the key's columns. */
  readonly key: readonly number[];
}

// The protocol counts the parameters of a statement with 16 bits.
const PARAMETERS = 65_535;

/** @returns a function that makes one statement of all rows of a table, as a rule */
export function createInserts({ tables }: AnySchema): (rows: readonly Row<PostgresValue>[]) => Inserts {
  const known = Object.entries(tables).map(
    ([
      name,
      {
        postgres: { columns, key },
      },
    ]) => ({
      start: `INSERT INTO ${name} (${columns.join(', ')}) VALUES `,
      end: ` ON CONFLICT (${key.join(', ')}) DO NOTHING`,
      columns: columns.length,
      key: key.map((column) => columns.indexOf(column)),
    }),
  );
  return (rows) => known.flatMap((table, place) => toInserts(table, rowsOf(rows, place)));
}

// In the order of the key: all servers lock rows in this order, so that they never deadlock.
function toInserts(table: Table, rows: readonly (readonly PostgresValue[])[]): Inserts {
  const sorted = rows.toSorted((one, other) => compareRows(table.key, one, other));
  const { columns, start, end } = table;
  const most = Math.floor(PARAMETERS / columns);
  const parts = Array.from({ length: Math.ceil(rows.length / most) }, (_, part) =>
    sorted.slice(part * most, (part + 1) * most),
  );
  return parts.map((part) => ({ text: start + toPlaces(part.length, columns) + end, values: part.flat() }));
}

function rowsOf(rows: readonly Row<PostgresValue>[], place: number): (readonly PostgresValue[])[] {
  return rows.flatMap(([table, values]) => (table === place ? [values] : []));
}

// ($1,$2),($3,$4)
function toPlaces(rows: number, columns: number): string {
  const places = Array.from({ length: rows }, (_, row) => {
    const names = Array.from({ length: columns }, (__, column) => `$${String(columns * row + column + 1)}`);
    return `(${names.join()})`;
  });
  return places.join();
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
