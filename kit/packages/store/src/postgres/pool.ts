// The pools of connections to the servers of PostgreSQL, which cancel a query that takes too long.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { Pool, type PoolClient, Client, Connection, type ClientConfig } from 'pg';
import { StoreUnavailable, type PoolCounts } from '../store';

/** Timeouts and pauses, in milliseconds. */
export interface PostgresTimes {
  readonly connect: number;
  /** The timeout of one call of `use`: it detects a server that vanished silently. */
  readonly work: number;
  /** How long the function of a transaction may take. It is less than `work`, which is for a statement that hangs. */
  readonly transaction: number;
  /** The pause between cancel requests. */
  readonly cancel: number;
  /** How long a migration waits for a lock, and all others behind it, before it lets them go first. */
  readonly lock: number;
  /** The timeout of all migrations, which may read and write large tables. */
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
  /** The `application_name` of its connections. */
  readonly name: string;
  readonly connections: number;
  readonly times: PostgresTimes;
}

/**
 * Connections to one server. There are never more backends than connections: a connection whose work takes too long is
 * not closed, since its backend would go on. It keeps its place in the pool until the server has ended the work.
 */
export interface PostgresPool {
  /** Runs `work` on a connection of its own, which is closed if `work` fails. `timeout` is in milliseconds. */
  use<T>(work: (client: PoolClient) => Promise<T>, timeout?: number): Promise<T>;
  count(): PoolCounts[];
  close(): Promise<void>;
}

class WorkTimeout extends Error {}

/** Creates the pool of one server. It connects when it is used. The URL is read for each connection. */
export function createPostgresPool(readUrl: () => string, { name, connections, times }: PoolOptions): PostgresPool {
  const readOptions = (): ClientConfig => ({
    connectionString: readUrl(),
    connectionTimeoutMillis: times.connect,
    keepAlive: true,
    application_name: name,
  });
  // The pool also makes clients in its own callbacks, where an error would end the process: the client reports it instead.
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
  // Ignore lost connections: the pool removes them, and the next use connects again. The pool listens only to idle
  // connections; without a listener, a connection lost in use, between two queries, would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const { promise: closed, resolve: markClosed } = Promise.withResolvers<false>();
  // The functions that end the waits of the calls of `use`.
  const timeouts = new Set<() => void>();
  // Whether a client was gone, at the latest check; the next one waits for it.
  let lastCheck = Promise.resolve(false);

  // Rejects with WorkTimeout after the timeout, or when the pool is closed; the work goes on then.
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

  // Waits until the server has ended the work, or the pool is closed.
  async function releaseWhenIdle(client: PoolClient, working: Promise<unknown>): Promise<void> {
    const isIdle = await Promise.race([cancelUntilIdle(client, working), closed]);
    // I: outside a transaction.
    const isReusable = isIdle && client.getTransactionStatus() === 'I';
    // On true, the pool closes the connection.
    client.release(!isReusable);
  }

  // True when the client is idle or the pool is closed; false when the server no longer knows the client.
  async function cancelUntilIdle(client: PoolClient, working: Promise<unknown>): Promise<boolean> {
    // When the client has no query left (`drain`), or has lost its connection (`end`).
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
      // The network path may be gone. Check one client at a time: each check takes one more connection.
      const isGone = (): Promise<boolean> =>
        isConnectionGone(client, { ...readOptions(), query_timeout: times.connect }, times.cancel);
      // If the server cannot be asked, the next check tries again.
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
        // On true, the pool closes the connection.
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

/** Members of a client that the types of pg do not declare. */
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
 * Asks the server, or a pooler, to cancel the query of a client. The server closes the connection when it has read the
 * request (PostgreSQL's protocol, "Canceling Requests in Progress"). Not encrypted, as in libpq up to version 16: every
 * server accepts that. A failed request is no error: a later one may mend it.
 */
export async function requestCancel(client: PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as UndeclaredClient;
  const connection = new Connection() as Connection & CancelConnection;
  connection.stream.setTimeout(CANCEL_TIMEOUT_MS, () => connection.stream.destroy());
  const ended = new Promise((resolve) => connection.on('end', resolve).on('error', resolve));
  connection.on('connect', () => {
    connection.cancel(processID, secretKey);
  });
  // A host that is a path is the folder of a Unix socket.
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${String(port)}`);
  else connection.connect(port, host);
  await ended;
}

/**
 * Asks on another connection whether the server has ended a client's, and has it end one that has been idle for `pause`
 * ms: the network has forgotten that one, whose transaction may hold locks. @throws Error when it cannot be asked
 */
async function isConnectionGone(client: PoolClient, options: ClientConfig, pause: number): Promise<boolean> {
  const other = new Client(options);
  other.on('error', ignore);
  try {
    await other.connect();
    const { processID } = client as unknown as UndeclaredClient;
    const { rows } = await other.query<{ ended: boolean }>(
      `SELECT CASE WHEN state LIKE 'idle%' AND state_change < now() - $2 * interval '1 ms'
       THEN pg_terminate_backend(pid) ELSE false END AS ended FROM pg_stat_activity WHERE pid = $1`,
      [processID, pause],
    );
    return rows.every(({ ended }) => ended);
  } finally {
    await other.end();
  }
}

function ignore(): void {
  // The next use of the connection fails, and reports the error.
}

/** Where the servers of a store are. */
export interface ServersLocation {
  /** A URL for each server. */
  readonly servers: readonly string[];
  /** Reads the URLs again for a new connection, since a password may have changed. An error is that of the connection. */
  readonly readServers?: () => readonly string[];
}

/** Describes the database that a URL leads to: all that it says but for the user, the password and TLS. */
export function toDatabase(server: string): string {
  const url = new URL(server);
  for (const name of [...url.searchParams.keys()]) if (/^(ssl|uselibpq)/.test(name)) url.searchParams.delete(name);
  const { connectionParameters } = new Client(url.href) as Client & { readonly connectionParameters: object };
  return JSON.stringify({ ...connectionParameters, user: undefined });
}

/** The servers of a store, of which the one that accepts writes is used; StoreUnavailable when none does. */
export type PostgresServers = PostgresPool;

/** The server that accepts writes is found at the first use. */
export function createPostgresServers(
  { servers, readServers }: ServersLocation,
  options: PoolOptions,
): PostgresServers {
  const pools = servers.map((url, index) => createPostgresPool(() => readServers?.()[index] ?? url, options));
  // The search for the server that accepts writes. All calls share it, until one of them fails.
  let search: Promise<PostgresPool> | undefined;
  // The search after which a connection was asked, too: during a failover behind a proxy it may lead to another server than
  // the one that the search asked.
  const askedAfter = new WeakMap<PoolClient, typeof search>();

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
          if (askedAfter.get(client) !== usedSearch) await assertWritable(client);
          askedAfter.set(client, usedSearch);
          return work(client);
        }, timeout);
      } catch (error) {
        // Another server may accept writes now: the next call searches again, unless another call has begun to already.
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

// For use(), which closes the connection of an error: a later one may reach another server, or have other settings.
async function assertWritable(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('the server is read-only');
}
