// Pools of connections to PostgreSQL servers, which cancel queries that take too long.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { Pool, type PoolClient, Client, Connection, type ClientConfig } from 'pg';
import { StoreUnavailable, type PoolCounts } from '../store';

/** Timeouts and pauses, in milliseconds. */
export interface PostgresTimes {
  readonly connect: number;
  /** The timeout of one call of `use`, which detects a server that vanished silently. */
  readonly work: number;
  /** The timeout of a transaction's function. It is shorter than `work`, which is for a statement that hangs. */
  readonly transaction: number;
  /** The pause between cancel requests. */
  readonly cancel: number;
  /** How long a migration waits for a lock before it lets the queries behind it go first. */
  readonly lock: number;
  /** The timeout of all migrations, which may rewrite large tables. */
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
 * Connections to one server. A connection whose work takes too long keeps its place in the pool until the server has ended the
 * work. Closing it would not stop its backend, so there could be more backends than connections.
 */
export interface PostgresPool {
  /** Runs `work` on its own connection, and closes that if `work` fails. `timeout` is in milliseconds. */
  use<T>(work: (client: PoolClient) => Promise<T>, timeout?: number): Promise<T>;
  count(): PoolCounts[];
  close(): Promise<void>;
}

class WorkTimeout extends Error {}

/** Creates a pool for one server, which connects on first use. */
export function createPostgresPool(readUrl: () => string, { name, connections, times }: PoolOptions): PostgresPool {
  const readOptions = (): ClientConfig => ({
    connectionString: readUrl(),
    connectionTimeoutMillis: times.connect,
    keepAlive: true,
    application_name: name,
  });
  // The pool also creates clients in its own callbacks, where an error would end the process. The client reports it instead.
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
  // The pool replaces lost connections, but listens only to idle ones. Losing any other would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const { promise: closed, resolve: markClosed } = Promise.withResolvers<false>();
  const timeouts = new Set<() => void>();
  // The result of the latest check, for which the next one waits.
  let lastCheck = Promise.resolve(false);

  // Rejects after the timeout, or when the pool is closed, while the work continues.
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
    // I means that no transaction is open.
    const isReusable = isIdle && client.getTransactionStatus() === 'I';
    // With true, release closes the connection.
    client.release(!isReusable);
  }

  // Returns true once the client is idle or the pool is closed, and false if the server no longer knows the client.
  async function cancelUntilIdle(client: PoolClient, working: Promise<unknown>): Promise<boolean> {
    // The client has no query left (`drain`), or has lost its connection (`end`).
    const drained = new Promise<void>((resolve) => {
      const finish = (): void => {
        client.off('drain', finish).off('end', finish);
        resolve();
      };
      client.on('drain', finish).on('end', finish);
    });
    const idle = Promise.race([Promise.allSettled([working, drained]), closed]).then(() => true);
    for (;;) {
      await requestCancel(client);
      if (await Promise.race([idle, sleep(times.cancel, false, { ref: false })])) return true;
      // The network may be down. Check one client at a time, because each check takes another connection.
      const isGone = (): Promise<boolean> =>
        isConnectionGone(client, { ...readOptions(), query_timeout: times.connect }, times.cancel);
      lastCheck = lastCheck.then(isGone).catch(() => false);
      if (await lastCheck) return false;
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

interface UndeclaredClient {
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
 * Asks the server or a pooler to cancel the query of a client (PostgreSQL's protocol, "Canceling Requests in Progress"). The
 * request is not encrypted, which every server accepts. A failure is ignored, because a later request may succeed.
 */
export async function requestCancel(client: PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as UndeclaredClient;
  const connection = new Connection() as Connection & CancelConnection;
  connection.stream.setTimeout(CANCEL_TIMEOUT_MS, () => connection.stream.destroy());
  const ended = new Promise((resolve) => connection.on('end', resolve).on('error', resolve));
  connection.on('connect', () => {
    connection.cancel(processID, secretKey);
  });
  // A path is the folder of a Unix socket.
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${String(port)}`);
  else connection.connect(port, host);
  await ended;
}

// Asks on another connection whether the server has ended a client's. It also ends a connection that has been idle for
// `pause` ms: the network has lost it, and its transaction may hold locks.
async function isConnectionGone(client: PoolClient, options: ClientConfig, pause: number): Promise<boolean> {
  const secondClient = new Client(options);
  secondClient.on('error', ignore);
  try {
    await secondClient.connect();
    const { processID } = client as unknown as UndeclaredClient;
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
  // The next use of the connection fails, and reports the error.
}

/** The locations of a store's servers. */
export interface ServersLocation {
  readonly servers: readonly string[];
  /** Reads the URLs again before a new connection, because a password may have changed. If it throws, connecting fails. */
  readonly readServers?: () => readonly string[];
}

/** Identifies a URL's database by everything except the user, the password and TLS. */
export function toDatabase(server: string): string {
  const url = new URL(server);
  for (const name of [...url.searchParams.keys()]) if (/^(ssl|uselibpq)/.test(name)) url.searchParams.delete(name);
  const { connectionParameters } = new Client(url.href) as Client & { readonly connectionParameters: object };
  return JSON.stringify({ ...connectionParameters, user: undefined });
}

/** A pool for the server that accepts writes. `use` throws StoreUnavailable if none does. */
export type PostgresServers = PostgresPool;

export function createPostgresServers(
  { servers, readServers }: ServersLocation,
  options: PoolOptions,
): PostgresServers {
  const pools = servers.map((url, index) => createPostgresPool(() => readServers?.()[index] ?? url, options));
  // The search for the server that accepts writes, which all calls share until one of them fails.
  let search: Promise<PostgresPool> | undefined;
  // The search after which each connection was itself checked: behind a proxy, a failover may have moved it to another server.
  const checkedAfter = new WeakMap<PoolClient, typeof search>();

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
          if (checkedAfter.get(client) !== usedSearch) await assertWritable(client);
          checkedAfter.set(client, usedSearch);
          return work(client);
        }, timeout);
      } catch (error) {
        // Another server may accept writes now, so the next call searches again.
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

// A host with several addresses has an error for each.
function listReasons(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(listReasons);
  return [(error as Error).message];
}

// If this throws, use() closes the connection. A new one may reach another server.
async function assertWritable(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('the server is read-only');
}
