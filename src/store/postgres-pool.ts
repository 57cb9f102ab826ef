import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool, type PoolClient } from 'pg';
import { requestCancel } from './postgres-cancel';

/** In milliseconds. */
export interface PostgresTimes {
  readonly connect: number;
  /** For one call of `use`. This timeout detects a server that vanished silently. */
  readonly work: number;
  /** From one cancel request to the next. It doubles each time, up to a minute. */
  readonly cancel: number;
}

export const TIMES: PostgresTimes = { connect: 3_000, work: 10_000, cancel: 1_000 };

const MAX_CANCEL_MS = 60_000;

/**
 * Connections to one server. There are never more backends than connections: a connection whose work takes too long is
 * not closed, since its backend would go on. It keeps its place in the pool until the server has ended the work.
 */
export interface PostgresPool {
  /** Runs `work` on a connection of its own, which is closed if `work` fails. */
  use<T>(work: (client: PoolClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

class Late extends Error {}

export function createPostgresPool(connectionString: string, connections: number, times: PostgresTimes): PostgresPool {
  const options = {
    connectionString,
    connectionTimeoutMillis: times.connect,
    keepAlive: true,
    application_name: 'plant-store',
  };
  const pool = new Pool({ ...options, max: connections });
  // Ignore lost connections: the pool removes them, and the next use connects again. The pool listens only to idle
  // connections; without a listener, a connection lost in use, between two queries, would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const closing = new AbortController();
  const closed = once(closing.signal, 'abort').then(() => false);
  const waiting = new Set<() => void>();
  let asked = Promise.resolve(false);

  function inTime<T>(working: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        reject(new Late(`the server did not answer within ${String(times.work)} ms`));
      };
      const timer = setTimeout(stop, times.work);
      waiting.add(stop);
      void working.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        waiting.delete(stop);
      });
    });
  }

  async function giveBack(client: PoolClient, working: Promise<unknown>): Promise<void> {
    const isIdle = await Promise.race([untilIdle(client, working), closed]);
    client.release(!isIdle || client.getTransactionStatus() !== 'I');
  }

  /** @returns true when the client is idle; false when the server no longer knows it */
  async function untilIdle(client: PoolClient, working: Promise<unknown>): Promise<boolean> {
    const ready = new Promise<void>((resolve) => {
      const stop = (): void => {
        client.off('drain', stop).off('end', stop);
        resolve();
      };
      client.on('drain', stop).on('end', stop);
    });
    const idle = Promise.race([Promise.allSettled([working, ready]), closed]).then(() => true);
    for (let pause = times.cancel; ; pause = Math.min(2 * pause, MAX_CANCEL_MS)) {
      await requestCancel(client);
      if (await Promise.race([idle, sleep(pause, false, { ref: false })])) return true;
      // The network path may be gone. Check one client at a time: each check takes one more connection.
      asked = asked.then(() => isGone(client));
      if (await asked) return false;
    }
  }

  async function isGone(client: PoolClient): Promise<boolean> {
    const other = new Client({ ...options, query_timeout: times.connect });
    other.on('error', ignore);
    try {
      await other.connect();
      const { processID } = client as unknown as { processID: number };
      const { rowCount } = await other.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [processID]);
      return rowCount === 0;
    } catch {
      return false;
    } finally {
      await other.end();
    }
  }

  return {
    async use(work) {
      const client = await pool.connect();
      const working = work(client);
      try {
        const result = await inTime(working);
        client.release();
        return result;
      } catch (error) {
        if (error instanceof Late) void giveBack(client, working);
        else client.release(true);
        throw error;
      }
    },
    async close() {
      closing.abort();
      for (const stop of waiting) stop();
      await pool.end();
    },
  };
}

function ignore(): void {
  // The next use fails, and reports the error.
}
