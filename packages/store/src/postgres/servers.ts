import type { PoolClient } from 'pg';
import { StoreUnavailable } from '../store';
import { createPostgresPool, type PoolOptions, type PostgresPool } from './pool';

/** The servers of a connection string. The store uses the one that accepts writes. */
export interface PostgresServers {
  /**
   * Runs `work` on a connection of its own, which is closed if `work` fails.
   *
   * @param limit of its time, in milliseconds
   * @throws StoreUnavailable when no server accepts writes
   */
  use<T>(work: (client: PoolClient) => Promise<T>, limit?: number): Promise<T>;
  close(): Promise<void>;
}

/**
 * @param urls one for each server
 * @param options of the pool of each server
 */
export function createPostgresServers(urls: readonly string[], options: PoolOptions): PostgresServers {
  const pools = urls.map((url) => createPostgresPool(url, options));
  let current: Promise<PostgresPool> | undefined;

  async function findWritable(): Promise<PostgresPool> {
    try {
      return await Promise.any(pools.map(assertWritable));
    } catch (error) {
      throw new StoreUnavailable(`no server takes writes: ${toReasons(error).join('; ')}`, { cause: error });
    }
  }

  return {
    async use(work, limit) {
      const finding = (current ??= findWritable());
      try {
        return await (await finding).use(work, limit);
      } catch (error) {
        // The primary may have changed: search again next time, unless another call already found a server.
        if (current === finding) current = undefined;
        throw error;
      }
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

// A host with several addresses has one error per address.
function toReasons(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(toReasons);
  return [(error as Error).message];
}

async function assertWritable(pool: PostgresPool): Promise<PostgresPool> {
  const { rows } = await pool.use((client) =>
    client.query<{ transaction_read_only: string }>('SHOW transaction_read_only'),
  );
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('it is read-only');
  return pool;
}
