// Opens a store in PostgreSQL.
import type { PoolClient } from 'pg';
import type { EngineStore } from '../engine-store';
import { createQueue, LIMITS, type Results, type Returned, type RunBatch } from '../queue';
import type { AnySchema, PostgresValue, Row } from '../schema';
import type { Sql } from '../statement';
import { StoreUnavailable, type StoreObserver } from '../store';
import { createInserts, runInserts, type Inserts } from './inserts';
import { TIMES, type PostgresTimes } from './pool';
import { prepareSchema } from './prepare-schema';
import { createPostgresServers, type PostgresServers } from './servers';
import { keepConnection, runStatement, runStatements } from './statements';
import { isDataError, tryAgain } from './try-again';

// Concurrent commits of rows and of statements, each on a connection of its own. One more connection is for the check.
const COMMITS = 2;
const WRITES = 4;
// Concurrent reads, on connections that no write can occupy.
const READS = 4;

/**
 * A store in PostgreSQL, or in a database with the same protocol.
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
  const servers = createPostgresServers(urls, { name, connections: COMMITS + WRITES + 1, times });
  const readers = createPostgresServers(urls, { name, connections: READS, times });
  try {
    await prepareSchema(servers, schema, times, warn);
  } catch (error) {
    await servers.close();
    throw new StoreUnavailable(`the database cannot be used: ${(error as Error).message}`);
  }
  const toInserts = createInserts(schema);
  const rows = createQueue<Row<PostgresValue>>(
    (batch) => insertRows(servers, toInserts, batch),
    { ...LIMITS, batches: COMMITS },
    observeCommit,
  );
  // One entry in each batch: the server itself lets concurrent commits share a sync of the disk.
  const writes = createQueue<readonly Sql[]>(
    runEach((statements) => runOn(servers, 'written', (client) => runStatements(client, statements))),
    { ...LIMITS, batches: WRITES, size: 1 },
    observeCommit,
  );
  const reads = createQueue<Sql>(
    runEach((sql) => runOn(readers, 'read', (client) => runStatement(client, sql))),
    { ...LIMITS, batches: READS, size: 1 },
  );
  let checking: Promise<void> | undefined;
  return {
    async add(row, bytes) {
      await rows.add(row, bytes);
    },
    read: (sql, bytes) => reads.add(sql, bytes),
    write: (statements, bytes) => writes.add(statements, bytes),
    // One check at a time, so that all other connections are left for the commits.
    check: () => (checking ??= check(servers, schema).finally(() => (checking = undefined))),
    countWaiting: () => rows.countWaiting() + writes.countWaiting(),
    async close() {
      await Promise.all([rows.close(), writes.close(), reads.close()]);
      await Promise.all([servers.close(), readers.close()]);
    },
  };
}

/** Checks that all tables can be read. */
async function check(servers: PostgresServers, { tables }: AnySchema): Promise<void> {
  const selects = Object.keys(tables).map((table) => `SELECT 1 FROM ${table} LIMIT 0`);
  try {
    await servers.use((client) => client.query(selects.join('; ')));
  } catch (error) {
    throw new StoreUnavailable((error as Error).message, { cause: error });
  }
}

type ToInserts = (rows: readonly Row<PostgresValue>[]) => Inserts;

/** Runs `work` on a connection, and again if PostgreSQL rolled it back. */
async function runOn<T>(
  servers: PostgresServers,
  verb: 'read' | 'written',
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return tryAgain(async () => {
    const getResult = await servers.use((client) => keepConnection(client, () => work(client)));
    return getResult();
  }, verb);
}

/** Runs the entries of a batch concurrently, each by itself. */
function runEach<Entry>(run: (entry: Entry) => Promise<readonly Returned[]>): RunBatch<Entry> {
  return async (batch) =>
    new Map(await Promise.all(batch.map(async (entry, index) => [index, { rows: await run(entry) }] as const)));
}

/** Stores a batch in one transaction. If one row cannot be stored, tries each half, down to that row. */
async function insertRows(
  servers: PostgresServers,
  toInserts: ToInserts,
  batch: readonly Row<PostgresValue>[],
): Promise<Results> {
  try {
    const inserts = toInserts(batch);
    await tryAgain(() => servers.use((client) => runInserts(client, inserts)), 'written');
    return new Map();
  } catch (error) {
    if (!isDataError(error)) throw error;
    if (batch.length === 1) return new Map([[0, { error }]]);
    const middle = Math.ceil(batch.length / 2);
    const first = await insertRows(servers, toInserts, batch.slice(0, middle));
    const second = await insertRows(servers, toInserts, batch.slice(middle));
    return new Map([...first, ...[...second].map(([index, result]) => [index + middle, result] as const)]);
  }
}
