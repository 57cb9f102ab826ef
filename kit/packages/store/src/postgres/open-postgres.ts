import type { PoolClient } from 'pg';
import { createQueue, DEFAULT_LIMITS, toShare, type EngineStore, type ReturnedRow, type RunBatch } from '../queue';
import type { AnySchema, PostgresValue, Row } from '../schema';
import { StoreUnavailable, type StoreObserver } from '../store';
import { createInsertRows } from './inserts';
import { prepareSchema, assertTables } from './prepare-schema';
import { TIMES, type PostgresTimes, createPostgresServers, type PostgresServers, type ServersLocation } from './pool';
import { createTurns, retry, useConnection, runStatement, runStatements, runTransaction } from './statements';

// How many row commits, writes and reads run at the same time, each on its own connection. The check needs one more.
const MAX_ROW_COMMITS = 2;
const MAX_WRITES = 4;
const MAX_READS = 4;

/**
 * Opens a store in PostgreSQL, or in a database that speaks its protocol.
 *
 * @param location lists all servers; the store uses the one that accepts writes
 * @throws StoreUnavailable with a one-line message, which never contains the password, if the store cannot be used
 */
export async function openPostgres(
  location: ServersLocation,
  schema: AnySchema,
  { observeCommit, watch, warn }: StoreObserver,
  times: PostgresTimes = TIMES,
): Promise<EngineStore<PostgresValue>> {
  const { name } = schema;
  const connections = toShare(MAX_ROW_COMMITS) + toShare(MAX_WRITES) + 1;
  const servers = createPostgresServers(location, { name, connections, times });
  const readers = createPostgresServers(location, { name, connections: toShare(MAX_READS), times });
  try {
    await prepareSchema(servers, schema, times, warn);
  } catch (error) {
    await servers.close();
    throw new StoreUnavailable(`the database cannot be used: ${(error as Error).message}`);
  }
  const rows = createQueue<Row<PostgresValue>>(
    createInsertRows(servers, schema),
    { ...DEFAULT_LIMITS, batches: toShare(MAX_ROW_COMMITS) },
    observeCommit,
  );
  // Batches would not help, because concurrent commits already share a disk sync on the server.
  const writes = createQueue<WorkOnClient>(
    runOnConnections(servers, 'written'),
    { ...DEFAULT_LIMITS, batches: toShare(MAX_WRITES), batchSize: 1 },
    observeCommit,
  );
  const reads = createQueue<WorkOnClient>(runOnConnections(readers, 'read'), {
    ...DEFAULT_LIMITS,
    batches: toShare(MAX_READS),
    batchSize: 1,
  });
  watch?.(() => ({
    rows: rows.countWaiting() + writes.countWaiting(),
    reads: reads.countWaiting(),
    pools: { write: servers.count(), read: readers.count() },
  }));
  let runningCheck: Promise<void> | undefined;
  const check = (): Promise<void> =>
    servers
      .use((client) => assertTables(client, schema))
      .catch((error: unknown) => {
        throw new StoreUnavailable((error as Error).message, { cause: error });
      });
  return {
    add: (row, bytes) => rows.add(row, bytes),
    read: (sql, bytes) => reads.add((client) => runStatement(client, sql), bytes),
    write: (statements, bytes) => writes.add((client) => runStatements(client, statements), bytes),
    transaction: (work) => writes.add((client) => runTransaction(client, work, times.transaction), 0),
    // Only one check runs at a time, so that it does not take connections from commits.
    check: () => (runningCheck ??= check().finally(() => (runningCheck = undefined))),
    async close() {
      await Promise.all([rows.close(), writes.close(), reads.close()]);
      await Promise.all([servers.close(), readers.close()]);
    },
  };
}

type WorkOnClient = (client: PoolClient) => Promise<readonly ReturnedRow[]>;

function runOnConnections(servers: PostgresServers, deniedAction: 'read' | 'written'): RunBatch<WorkOnClient> {
  const takeTurn = createTurns();
  return async (batch) => {
    const [work] = batch as readonly [WorkOnClient];
    const rows = await takeTurn(() => retry(() => useConnection(servers, work), deniedAction));
    return new Map([[0, { rows }]]);
  };
}
