import { Client } from 'pg';
import { startPostgres } from '../../support/start-postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack';
import { startTarget } from '../target';

const SECONDS = 45;
const ASK_MS = 1_000;
// Nothing else uses the store here: two batches of rows, the check, the search for a server that accepts writes, and the
// connection that looks for a backend which ignores its cancel (packages/store/src/postgres).
const CONNECTIONS = 5;

/** A table of PostgreSQL that another program has locked, while creations and questions for readiness go on. */
export const tableLock: Attack = {
  name: `a locked table of PostgreSQL for ${String(SECONDS)} s`,
  async run() {
    await using postgres = await startPostgres();
    using target = await startTarget({ DATABASE_URL: postgres.url });
    const other = new Client(postgres.url);
    await other.connect();
    await other.query('BEGIN; LOCK TABLE plants');
    const counts: number[] = [];
    const work: Promise<unknown>[] = [];
    for (let second = 0; second < SECONDS; second++) {
      work.push(target.postPlant(ASK_MS / 1_000), fetch(`${target.admin}/readyz`));
      await sleep(ASK_MS);
      const rows = await postgres.query(`SELECT 1 FROM pg_stat_activity WHERE application_name = 'plant-store'`);
      counts.push(rows.length);
    }
    await Promise.all(work);
    await other.end();
    return [
      { what: 'backends', value: Math.max(...counts), atMost: CONNECTIONS, unit: 'processes' },
      { what: 'next request', value: await target.postPlant(), atMost: 5, unit: 's' },
    ];
  },
};
