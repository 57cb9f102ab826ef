// The pool of connections to PostgreSQL.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { ignore, isGone, requestCancel } from './cancel';

/** In milliseconds. */
export interface PostgresTimes {
  readonly connect: number;
  /** For one call of `use`. This timeout detects a server that vanished silently. */
  readonly work: number;
  /** From one cancel request to the next. It doubles each time, up to a minute. */
  readonly cancel: number;
  /** How long a migration waits for a lock, and all others behind it, before it lets them go first. */
  readonly lock: number;
  /** For all migrations: they may have to read and write large tables. */
  readonly migration: number;
}

export const TIMES: PostgresTimes = {
  connect: 3_000,
  work: 10_000,
  cancel: 1_000,
  lock: 2_000,
  migration: 60 * 60_000,
};

export interface PoolOptions {
  /** The `application_name` of its connections. */
  readonly name: string;
  readonly connections: number;
  readonly times: PostgresTimes;
}

const MAX_CANCEL_MS = 60_000;

/**
 * Connections to one server. There are never more backends than connections: a connection whose work takes too long is
 * not closed, since its backend would go on. It keeps its place in the pool until the server has ended the work.
 */
export interface PostgresPool {
  /**
   * Runs `work` on a connection of its own, which is closed if `work` fails.
   *
   * @param timeout for `work`, in milliseconds
   */
  use<T>(work: (client: PoolClient) => Promise<T>, timeout?: number): Promise<T>;
  close(): Promise<void>;
}

class WorkTimeout extends Error {}

export function createPostgresPool(connectionString: string, { name, connections, times }: PoolOptions): PostgresPool {
  const options = {
    connectionString,
    connectionTimeoutMillis: times.connect,
    keepAlive: true,
    application_name: name,
  };
  const pool = new Pool({ ...options, max: connections });
  // Ignore lost connections: the pool removes them, and the next use connects again. The pool listens only to idle
  // connections; without a listener, a connection lost in use, between two queries, would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const closing = new AbortController();
  const closed = once(closing.signal, 'abort').then(() => false);
  // Each rejects a call of `use` that waits for its work.
  const stops = new Set<() => void>();
  let lastCheck = Promise.resolve(false);

  function withTimeout<T>(working: Promise<T>, timeout: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        reject(new WorkTimeout(`the server did not answer within ${String(timeout)} ms`));
      };
      const timer = setTimeout(stop, timeout);
      stops.add(stop);
      void working.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        stops.delete(stop);
      });
    });
  }

  async function releaseWhenIdle(client: PoolClient, working: Promise<unknown>): Promise<void> {
    const isIdle = await Promise.race([cancelUntilIdle(client, working), closed]);
    // Closes the connection, unless it is idle outside a transaction ('I').
    client.release(!isIdle || client.getTransactionStatus() !== 'I');
  }

  /** Cancels the work until it ends. @returns true when the client is idle; false when the server no longer knows it */
  async function cancelUntilIdle(client: PoolClient, working: Promise<unknown>): Promise<boolean> {
    const drained = new Promise<void>((resolve) => {
      const finish = (): void => {
        client.off('drain', finish).off('end', finish);
        resolve();
      };
      client.on('drain', finish).on('end', finish);
    });
    const idle = Promise.race([Promise.allSettled([working, drained]), closed]).then(() => true);
    for (let pause = times.cancel; ; pause = Math.min(2 * pause, MAX_CANCEL_MS)) {
      await requestCancel(client);
      if (await Promise.race([idle, sleep(pause, false, { ref: false })])) return true;
      // The network path may be gone. Check one client at a time: each check takes one more connection.
      lastCheck = lastCheck.then(() => isGone(client, { ...options, query_timeout: times.connect }));
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
    async close() {
      closing.abort();
      for (const stop of stops) stop();
      await pool.end();
    },
  };
}
