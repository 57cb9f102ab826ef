import { Pool, type PoolClient } from 'pg';
import { StoreUnavailable } from './plant-store';

const CONNECT_TIMEOUT_MS = 3_000;
// A server that vanished without a word is noticed by this.
const QUERY_TIMEOUT_MS = 10_000;

/** The servers of a connection string, of which the one that takes writes is used. */
export interface PostgresServers {
  /**
   * Runs something on a connection of its own, which is closed when that fails.
   *
   * @throws StoreUnavailable when no server takes writes
   */
  use<T>(work: (client: PoolClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** @param urls one for each server */
export function createPostgresServers(urls: readonly string[], connections: number): PostgresServers {
  const pools = urls.map((url) => createPool(url, connections));
  let current: Promise<Pool> | undefined;

  async function findWritable(): Promise<Pool> {
    try {
      return await Promise.any(pools.map(assertWritable));
    } catch (error) {
      throw new StoreUnavailable(`no server takes writes: ${toReasons(error).join('; ')}`, { cause: error });
    }
  }

  return {
    async use(work) {
      const finding = (current ??= findWritable());
      let client: PoolClient | undefined;
      try {
        client = await (await finding).connect();
        const result = await work(client);
        client.release();
        return result;
      } catch (error) {
        client?.release(true);
        // It may be another one by now. What was found in the meantime stays.
        if (current === finding) current = undefined;
        throw error;
      }
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

function ignore(): void {
  // Whoever uses it next is told.
}

function createPool(connectionString: string, connections: number): Pool {
  const pool = new Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'plant-store',
  });
  // A connection was lost; the pool lets go of it, and the next use connects anew. The pool itself listens only to those
  // that are idle: one that is lost in use, between two queries, would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}

// A host of several addresses has an error for each.
function toReasons(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(toReasons);
  return [(error as Error).message];
}

async function assertWritable(pool: Pool): Promise<Pool> {
  const { rows } = await pool.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('it is read-only');
  return pool;
}
