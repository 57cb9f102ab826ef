import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Attack } from '../attack';
import { post, startTarget } from '../target';
import { Client } from 'pg';
import { startPostgres } from '../../support/start-postgres';
import { setTimeout as sleep } from 'node:timers/promises';

const BODIES = 90;
const BODY_LENGTH = 1_000_000;
const MB = 1024 ** 2;
const WARNING = /"msg":"the write-ahead log has (\d+) MB/g;

/** A program that reads one state of the SQLite file for ever, while plants of 1 MB come. */
const permanentReader: Attack = {
  name: 'a permanent reader of the SQLite file',
  async run() {
    using target = await startTarget();
    const file = join(target.process.folder, 'data/plants.db');
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec('BEGIN; SELECT * FROM plants');
    for (let id = 0; id < BODIES; id++) {
      await post(target.url, {}, JSON.stringify({ id, name: 'x'.repeat(BODY_LENGTH) }));
    }
    const metrics = await (await fetch(`${target.admin}/metrics`)).text();
    const bytes = Number(/^store_log_bytes (\d+)/m.exec(metrics)?.[1] ?? 0);
    const warnings = [...target.process.output.stdout.matchAll(WARNING)];
    reader.close();
    return [
      { what: 'log when it was told', value: Number(warnings[0]?.[1] ?? Infinity), atMost: 80, unit: 'MB' },
      { what: 'warnings', value: warnings.length, atMost: 2, unit: 'lines' },
      { what: 'metric beside the file', value: (statSync(`${file}-wal`).size - bytes) / MB, atMost: 0, unit: 'MB' },
    ];
  },
};

const SECONDS = 45;
const ASK_MS = 1_000;
// Nothing else uses the store here: two batches of rows, the check, the search for a server that accepts writes, and the
// connection that looks for a backend which ignores its cancel (packages/store/src/postgres).
const CONNECTIONS = 5;

/** A table of PostgreSQL that another program has locked, while creations and questions for readiness go on. */
const tableLock: Attack = {
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

export const lockAttacks: readonly Attack[] = [permanentReader, tableLock];
