import type { PoolClient } from 'pg';
import { StoreUnavailable } from '../store';
import { createPostgresPool, type PoolOptions, type PostgresPool } from './pool';

/** The servers of a connection string. The store uses the one that accepts writes. */
export interface PostgresServers {
  /**
   * Runs `work` on a connection of its own, which is closed if `work` fails. `timeout` is in milliseconds.
   *
   * @throws StoreUnavailable when no server accepts writes
   */
  use<T>(work: (client: PoolClient) => Promise<T>, timeout?: number): Promise<T>;
  close(): Promise<void>;
}

/** The server that accepts writes is found at the first use. */
export function createPostgresServers(urls: readonly string[], options: PoolOptions): PostgresServers {
  const pools = urls.map((url) => createPostgresPool(url, options));
  // The search for the server that accepts writes. All calls share it, until one of them fails.
  let search: Promise<PostgresPool> | undefined;

  async function findWritable(): Promise<PostgresPool> {
    try {
      return await Promise.any(pools.map(requireWritable));
    } catch (error) {
      throw new StoreUnavailable(`no server takes writes: ${listReasons(error).join('; ')}`, { cause: error });
    }
  }

  return {
    async use(work, timeout) {
      const usedSearch = (search ??= findWritable());
      try {
        return await (await usedSearch).use(work, timeout);
      } catch (error) {
        // Another server may accept writes now: the next call searches again, unless another call has begun to already.
        if (search === usedSearch) search = undefined;
        throw error;
      }
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

// A host with several addresses has one error per address.
function listReasons(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(listReasons);
  return [(error as Error).message];
}

async function requireWritable(pool: PostgresPool): Promise<PostgresPool> {
  const { rows } = await pool.use((client) =>
    client.query<{ transaction_read_only: string }>('SHOW transaction_read_only'),
  );
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('it is read-only');
  return pool;
}
