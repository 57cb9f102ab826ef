// Opens a store in PostgreSQL.
import type { PoolClient } from 'pg';
import { createQueue, DEFAULT_LIMITS, type EngineStore, type ReturnedRow, type RunBatch } from '../queue';
import type { AnySchema, PostgresValue, Row } from '../schema';
import type { Sql } from '../statement';
import { StoreUnavailable, type StoreObserver } from '../store';
import { createInserts, insertRows } from './inserts';
import { prepareSchema, assertRights } from './prepare-schema';
import { TIMES, type PostgresTimes, createPostgresServers, type PostgresServers } from './pool';
import { tryAgain, keepConnection, runStatement, runStatements } from './statements';

// Concurrent commits of rows and of statements, each on a connection of its own. One more connection is for the check.
const MAX_ROW_COMMITS = 2;
const MAX_WRITES = 4;
// Concurrent reads, on connections that no write can occupy.
const MAX_READS = 4;

/**
 * Opens a store in PostgreSQL, or in a database with the same protocol.
 *
 * @param urls one for each server; the store uses the one that accepts writes
 * @throws StoreUnavailable, with a message of one line without the password, when the store cannot be used
 */
export async function openPostgres(
  urls: readonly string[],
  schema: AnySchema,
  { observeCommit, warn }: StoreObserver,
  times: PostgresTimes = TIMES,
): Promise<EngineStore<PostgresValue>> {
  const { name } = schema;
  const servers = createPostgresServers(urls, { name, connections: MAX_ROW_COMMITS + MAX_WRITES + 1, times });
  const readers = createPostgresServers(urls, { name, connections: MAX_READS, times });
  try {
    await prepareSchema(servers, schema, times, warn);
  } catch (error) {
    await servers.close();
    throw new StoreUnavailable(`the database cannot be used: ${(error as Error).message}`);
  }
  const createBatchInserts = createInserts(schema);
  const rows = createQueue<Row<PostgresValue>>(
    (batch) => insertRows(servers, createBatchInserts, batch),
    { ...DEFAULT_LIMITS, batches: MAX_ROW_COMMITS },
    observeCommit,
  );
  // One entry in each batch, unlike rows: the server itself lets concurrent commits share a sync of the disk.
  const writes = createQueue<readonly Sql[]>(
    runConcurrently((statements) => runOnConnection(servers, 'written', (client) => runStatements(client, statements))),
    { ...DEFAULT_LIMITS, batches: MAX_WRITES, batchSize: 1 },
    observeCommit,
  );
  const reads = createQueue<Sql>(
    runConcurrently((sql) => runOnConnection(readers, 'read', (client) => runStatement(client, sql))),
    { ...DEFAULT_LIMITS, batches: MAX_READS, batchSize: 1 },
  );
  let checking: Promise<void> | undefined;
  return {
    async add(row, bytes) {
      await rows.add(row, bytes);
    },
    read: (sql, bytes) => reads.add(sql, bytes),
    write: (statements, bytes) => writes.add(statements, bytes),
    // One check at a time, so that all other connections are left for the commits.
    check: () => (checking ??= checkTables(servers, schema).finally(() => (checking = undefined))),
    countWaiting: () => rows.countWaiting() + writes.countWaiting(),
    async close() {
      await Promise.all([rows.close(), writes.close(), reads.close()]);
      await Promise.all([servers.close(), readers.close()]);
    },
  };
}

async function checkTables(servers: PostgresServers, schema: AnySchema): Promise<void> {
  try {
    await servers.use((client) => assertRights(client, schema));
  } catch (error) {
    throw new StoreUnavailable((error as Error).message, { cause: error });
  }
}

// `verbOfError`: what the database cannot be, in the message of StoreUnavailable.
async function runOnConnection<T>(
  servers: PostgresServers,
  verbOfError: 'read' | 'written',
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return tryAgain(async () => {
    const getResult = await servers.use((client) => keepConnection(client, () => work(client)));
    // Throws here if the values are at fault: not inside, where an error would close the connection.
    return getResult();
  }, verbOfError);
}

// Each entry by itself: one that fails, fails the batch.
function runConcurrently<Entry>(run: (entry: Entry) => Promise<readonly ReturnedRow[]>): RunBatch<Entry> {
  return async (batch) =>
    new Map(await Promise.all(batch.map(async (entry, index) => [index, { rows: await run(entry) }] as const)));
}
