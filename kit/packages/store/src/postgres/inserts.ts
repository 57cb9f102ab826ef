import type { PoolClient } from 'pg';
import type { Results, RunBatch } from '../queue';
import { rowsOf, type AnySchema, type PostgresValue, type Row, type Rows } from '../schema';
import { MAX_VALUES } from '../statement';
import type { PostgresServers } from './pool';
import { assertPlainTables } from './prepare-schema';
import { isDataError, retry, useConnection, MAKE_DURABLE } from './statements';

type Inserts = readonly {
  readonly text: string;
  readonly values: PostgresValue[];
  readonly rowCount: number;
}[];

// Creates one INSERT per table, or several if it would have too many values.
type CreateBatchInserts = (rows: readonly Row<PostgresValue>[]) => Inserts;

function createInserts({ tables }: AnySchema): CreateBatchInserts {
  const creators = Object.entries(tables).map(([name, table]) => createTableInserts(name, rowsOf(table, 'postgres')));
  return (rows) =>
    creators.flatMap((create, index) => create(rows.filter(([table]) => table === index).map(([, values]) => values)));
}

function createTableInserts(
  table: string,
  { columns, key }: Rows<never, PostgresValue>,
): (rows: (readonly PostgresValue[])[]) => Inserts {
  const beforeValues = `WITH added AS (INSERT INTO ${table} (${columns.join(', ')}) VALUES `;
  const afterValues = ` ON CONFLICT (${key.join(', ')}) DO NOTHING RETURNING 1)
    SELECT count(*)::integer AS added, current_setting('synchronous_standby_names', true) AS standbys, (${MAKE_DURABLE})
    FROM added`;
  const keyIndexes = key.map((column) => columns.indexOf(column));
  const maxRows = Math.floor(MAX_VALUES / columns.length);
  // Cached placeholders: ($1,$2), ($3,$4) and so on. Creating them takes longer than all other work on an INSERT.
  const placeholders: string[] = [];

  function joinPlaceholders(rows: number): string {
    for (let row = placeholders.length; row < rows; row++) {
      const firstNumber = columns.length * row + 1;
      placeholders.push(`(${columns.map((_, column) => `$${String(firstNumber + column)}`).join()})`);
    }
    return placeholders.slice(0, rows).join();
  }

  return (rows) => {
    // All servers insert rows in key order, so that they never deadlock.
    rows.sort((left, right) => compareRows(keyIndexes, left, right));
    return Array.from({ length: Math.ceil(rows.length / maxRows) }, (_, statementIndex) => {
      const values = rows.slice(statementIndex * maxRows, (statementIndex + 1) * maxRows);
      const text = beforeValues + joinPlaceholders(values.length) + afterValues;
      return { text, values: values.flat(), rowCount: values.length };
    });
  };
}

function compareRows(
  keyIndexes: readonly number[],
  left: readonly PostgresValue[],
  right: readonly PostgresValue[],
): number {
  for (const index of keyIndexes) {
    const order = compareValues(left[index], right[index]);
    if (order !== 0) return order;
  }
  return 0;
}

// Any order works, as long as all servers use the same one.
function compareValues(left: unknown, right: unknown): number {
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  return (left as string) < (right as string) ? -1 : (left as string) > (right as string) ? 1 : 0;
}

/**
 * Creates a function that stores a batch in one transaction. If the values of a row are invalid, the function splits the batch
 * in halves until it has isolated that row.
 */
export function createInsertRows(servers: PostgresServers, schema: AnySchema): RunBatch<Row<PostgresValue>> {
  const createBatchInserts = createInserts(schema);
  return async function insertRows(batch): Promise<Results> {
    try {
      const inserts = createBatchInserts(batch);
      // The store itself creates this SQL, so the database causes every error that is not about the values.
      const isUnavailable = (error: unknown): boolean => !isDataError(error);
      const insert = (client: PoolClient): Promise<void> => runInserts(client, inserts, schema);
      await retry(() => useConnection(servers, insert), 'written', isUnavailable);
      return new Map();
    } catch (error) {
      if (!isDataError(error)) throw error;
      if (batch.length === 1) return new Map([[0, { error }]]);
      const middle = Math.ceil(batch.length / 2);
      const first = await insertRows(batch.slice(0, middle));
      const second = await insertRows(batch.slice(middle));
      return new Map([...first, ...[...second].map(([index, result]) => [index + middle, result] as const)]);
    }
  };
}

// If this throws, useConnection ends the transaction.
async function runInserts(client: PoolClient, inserts: Inserts, schema: AnySchema): Promise<void> {
  // A single statement is already a transaction.
  const isSingle = inserts.length === 1;
  if (!isSingle) await client.query('BEGIN');
  // The statements are unnamed, because a pooler in transaction mode can run the next one on another connection.
  let hasMissingRows = false;
  let hasStandbys = false;
  for (const { text, values, rowCount } of inserts) {
    const { rows } = await client.query<{ added: number; standbys: string | null }>(text, values);
    for (const { added, standbys } of rows) {
      hasMissingRows ||= added < rowCount;
      hasStandbys ||= Boolean(standbys);
    }
  }
  if (!isSingle) await client.query('COMMIT');
  if (!hasMissingRows) return;
  // A row that was not added should already exist. This makes sure that no rule or trigger dropped it.
  await assertPlainTables(client, schema);
  if (hasStandbys) await client.query(WAIT_FOR_STANDBYS);
}

// If the commit of an existing row was cancelled while it waited for a synchronous standby, the row might be only on this
// server. A commit that writes nothing does not wait for standbys. This one writes, and so waits for all earlier commits, too.
const WAIT_FOR_STANDBYS = `BEGIN; ${MAKE_DURABLE}; SELECT pg_logical_emit_message(true, 'store', ''); COMMIT`;
