// Pools connections to PostgreSQL servers, and cancels queries that take too long.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { Pool, type PoolClient, Client, Connection, type ClientConfig } from 'pg';
import { StoreUnavailable, type PoolCounts } from '../store';

/** All values are in milliseconds. */
export interface PostgresTimes {
  readonly connect: number;
  /** The timeout of a call to `use`, which detects a server that has silently disappeared. */
  readonly work: number;
  /** The timeout of a transaction's function. It is shorter than `work`, which is for statements that hang. */
  readonly transaction: number;
  readonly cancel: number;
  /** The time that a migration waits for a lock before it lets the queries behind it go first. */
  readonly lock: number;
  /** The timeout of all migrations together, which can rewrite large tables. */
  readonly migration: number;
}

export const TIMES: PostgresTimes = {
  connect: 3_000,
  work: 10_000,
  transaction: 5_000,
  cancel: 2_000,
  lock: 2_000,
  migration: 60 * 60_000,
};

export interface PoolOptions {
  readonly name: string;
  readonly connections: number;
  readonly times: PostgresTimes;
}

/**
 * Pools connections to one server. A connection whose work takes too long keeps its place in the pool until the server has
 * ended that work. Closing it earlier would not stop its backend, so there could be more backends than connections.
 */
export interface PostgresPool {
  /** Runs `work` on a connection, which is closed if `work` fails. `timeout` is in milliseconds. */
  use<T>(work: (client: PoolClient) => Promise<T>, timeout?: number): Promise<T>;
  count(): PoolCounts[];
  close(): Promise<void>;
}

class WorkTimeout extends Error {}

/** Creates a pool that connects on first use. */
export function createPostgresPool(readUrl: () => string, { name, connections, times }: PoolOptions): PostgresPool {
  const readOptions = (): ClientConfig => ({
    connectionString: readUrl(),
    connectionTimeoutMillis: times.connect,
    keepAlive: true,
    application_name: name,
  });
  // The pool also creates clients in callbacks, where an error would end the process, so the client's connect reports it.
  const createClient = (): Client => {
    try {
      return new Client(readOptions());
    } catch (error) {
      const connect = (report: (error: unknown) => void): void => {
        process.nextTick(report, error);
      };
      return Object.assign(new Client(), { connect });
    }
  };
  const NewClient = new Proxy(Client, { construct: createClient });
  const pool = new Pool({ connectionTimeoutMillis: times.connect, max: connections, Client: NewClient });
  // The pool replaces lost connections, but handles only the errors of idle ones. All others would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const { promise: closed, resolve: markClosed } = Promise.withResolvers<false>();
  const timeouts = new Set<() => void>();
  // Each check waits for the one before it.
  let previousCheck = Promise.resolve(false);

  // Rejects after the timeout or when the pool is closed, although the work continues.
  function withTimeout<T>(working: Promise<T>, timeout: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const endWait = (): void => {
        reject(new WorkTimeout(`the server did not answer within ${String(timeout)} ms`));
      };
      const timer = setTimeout(endWait, timeout);
      timeouts.add(endWait);
      void working.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        timeouts.delete(endWait);
      });
    });
  }

  async function releaseWhenIdle(client: PoolClient, working: Promise<unknown>): Promise<void> {
    const isIdle = await Promise.race([cancelUntilIdle(client, working), closed]);
    const isReusable = isIdle && client.getTransactionStatus() === 'I';
    // release(true) closes the connection.
    client.release(!isReusable);
  }

  // Returns true once the client is idle or the pool is closed, and false if the client's connection no longer exists.
  async function cancelUntilIdle(client: PoolClient, working: Promise<unknown>): Promise<boolean> {
    // `drain` means that the client has no queries left, and `end` that it has lost its connection.
    const drainOrEndPromise = new Promise<void>((resolve) => {
      const finish = (): void => {
        client.off('drain', finish).off('end', finish);
        resolve();
      };
      client.on('drain', finish).on('end', finish);
    });
    const idle = Promise.race([Promise.allSettled([working, drainOrEndPromise]), closed]).then(() => true);
    for (;;) {
      await requestCancel(client);
      if (await Promise.race([idle, sleep(times.cancel, false, { ref: false })])) return true;
      // The network might be down. Each check takes another connection, so only one client is checked at a time.
      const isGone = (): Promise<boolean> =>
        isConnectionGone(client, { ...readOptions(), query_timeout: times.connect }, times.cancel);
      previousCheck = previousCheck.then(isGone).catch(() => false);
      if (await previousCheck) return false;
    }
  }

  return {
    async use(work, timeout = times.work) {
      const client = await pool.connect();
      const working = work(client);
      try {
        const result = await withTimeout(working, timeout);
        client.release();
        return result;
      } catch (error) {
        if (error instanceof WorkTimeout) void releaseWhenIdle(client, working);
        else client.release(true);
        throw error;
      }
    },
    count: () => [{ used: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount }],
    async close() {
      markClosed(false);
      for (const endWait of timeouts) endWait();
      await pool.end();
    },
  };
}

const CANCEL_TIMEOUT_MS = 1_000;

interface ClientInternals {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

interface CancelConnection {
  readonly stream: Socket;
  connect(...address: readonly [path: string] | readonly [port: number, host: string]): void;
  cancel(processID: number, secretKey: number): void;
}

/**
 * Asks the server or a pooler to cancel a client's query (PostgreSQL's protocol, "Canceling Requests in Progress"). The request
 * is not encrypted, which every server accepts. Failures are ignored, because a later request can succeed.
 */
export async function requestCancel(client: PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as ClientInternals;
  const connection = new Connection() as Connection & CancelConnection;
  connection.stream.setTimeout(CANCEL_TIMEOUT_MS, () => connection.stream.destroy());
  const disconnectPromise = new Promise((resolve) => connection.on('end', resolve).on('error', resolve));
  connection.on('connect', () => {
    connection.cancel(processID, secretKey);
  });
  // A host can be the folder of a Unix socket.
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${String(port)}`);
  else connection.connect(port, host);
  await disconnectPromise;
}

// Uses another connection to ask whether the client's has ended. If the client's connection has been idle for `pause` ms, the
// network has lost it. It is then terminated, because its transaction might hold locks.
async function isConnectionGone(client: PoolClient, options: ClientConfig, pause: number): Promise<boolean> {
  const secondClient = new Client(options);
  secondClient.on('error', ignore);
  try {
    await secondClient.connect();
    const { processID } = client as unknown as ClientInternals;
    const { rows } = await secondClient.query<{ ended: boolean }>(
      `SELECT CASE WHEN state LIKE 'idle%' AND state_change < now() - $2 * interval '1 ms'
       THEN pg_terminate_backend(pid) ELSE false END AS ended FROM pg_stat_activity WHERE pid = $1`,
      [processID, pause],
    );
    return rows.every(({ ended }) => ended);
  } finally {
    await secondClient.end();
  }
}

function ignore(): void {
  // The next use of the connection fails and reports the error.
}

/** The URLs of a store's servers. */
export interface ServersLocation {
  readonly servers: readonly string[];
  /** Reads the URLs again before each new connection, in case a password has changed. If it throws, connecting fails. */
  readonly readServers?: () => readonly string[];
}

/** Identifies the database of a URL, regardless of the user, password and TLS. */
export function toDatabase(server: string): string {
  const url = new URL(server);
  for (const name of [...url.searchParams.keys()]) if (/^(ssl|uselibpq)/.test(name)) url.searchParams.delete(name);
  const { connectionParameters } = new Client(url.href) as Client & { readonly connectionParameters: object };
  return JSON.stringify({ ...connectionParameters, user: undefined });
}

/** Connects to the server that accepts writes. `use` throws StoreUnavailable if there is none. */
export type PostgresServers = PostgresPool;

export function createPostgresServers(
  { servers, readServers }: ServersLocation,
  options: PoolOptions,
): PostgresServers {
  const pools = servers.map((url, index) => createPostgresPool(() => readServers?.()[index] ?? url, options));
  // Finds the server that accepts writes. All calls share this search until one of them fails.
  let search: Promise<PostgresPool> | undefined;
  // Behind a proxy, a connection can reach another server after a failover, so each is checked again after a new search.
  const searchByClient = new WeakMap<PoolClient, typeof search>();

  async function findWritable(): Promise<PostgresPool> {
    try {
      return await Promise.any(pools.map((pool) => pool.use(assertWritable).then(() => pool)));
    } catch (error) {
      throw new StoreUnavailable(`no server accepts writes: ${listReasons(error).join('; ')}`, { cause: error });
    }
  }

  return {
    async use(work, timeout) {
      const usedSearch = (search ??= findWritable());
      try {
        const pool = await usedSearch;
        return await pool.use(async (client) => {
          if (searchByClient.get(client) !== usedSearch) await assertWritable(client);
          searchByClient.set(client, usedSearch);
          return work(client);
        }, timeout);
      } catch (error) {
        // Another server might accept writes now, so the next call searches again.
        if (search === usedSearch) search = undefined;
        throw error;
      }
    },
    count: () => pools.flatMap((pool) => pool.count()),
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

// If this throws, use() closes the connection, so that the next one can reach another server.
async function assertWritable(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('the server is read-only');
}
