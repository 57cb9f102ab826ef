import { copyFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createLedger, createPlants, type Row } from '../../durability/ledger';
import { startLoad, TOKEN } from '../../durability/load';
import { createRandom } from '../../durability/random';
import { readRows } from '../../support/start-app';
import { startPostgres } from '../../support/start-postgres';
import { post, startTarget, type Attack, type Figure } from '../target';

const PLANTS_BEFORE = 100;
const LOAD_MS = 3_000;
// The plants of the second load have ids of their own.
const SECOND_ID = 10n ** 15n;

/** What is done to the SQLite file of a service under load. */
interface Deed {
  readonly act: (file: string) => void;
  /** Where all that was acknowledged has to be, in one file alone. Without it: what is acknowledged after the deed counts. */
  readonly findKept?: (file: string) => string;
}

/** Does it, lets the load go on, kills the service, and counts what is lost of what was acknowledged. */
async function takeFile({ act, findKept }: Deed): Promise<Figure[]> {
  using target = await startTarget({ API_TOKENS: TOKEN });
  const file = join(target.process.folder, 'data/plants.db');
  const [before, after] = [createLedger(), createLedger()];
  const load = startLoad(target.url, before, createPlants(createRandom('before')));
  for (let count = 0; count < PLANTS_BEFORE; count++) await load.next(200);
  act(file);
  const second = startLoad(target.url, after, createPlants(createRandom('after'), SECOND_ID));
  await sleep(LOAD_MS);
  await Promise.all([load.stop(), second.stop()]);
  const ready = await fetch(`${target.admin}/readyz`);
  target.process.child.kill('SIGKILL');
  await target.process.ended;
  const rows = readAlone(findKept?.(file) ?? file, join(target.process.folder, 'alone.db'));
  const audits = await Promise.all([before, after].map((ledger) => ledger.audit(() => rows)));
  const counted = audits.filter((_, index) => findKept !== undefined || index === 1);
  const lost = counted.reduce((sum, audit) => sum + audit.lost, 0);
  return [
    { what: 'acknowledged and lost', value: lost, atMost: 0, unit: 'plants' },
    { what: 'readiness that says ready', value: ready.status === 200 ? 1 : 0, atMost: 0, unit: 'replies' },
  ];
}

// Without the log beside it. What is no database any more has no rows.
function readAlone(path: string, copy: string): readonly Row[] {
  try {
    copyFileSync(path, copy);
    return readRows(copy);
  } catch {
    return [];
  }
}

const toAway = (file: string): string => `${file}.away`;

/** Each needs write access to the file or its folder. */
const DEEDS: Readonly<Record<string, Deed>> = {
  // What was in the file before is gone; nothing more may be acknowledged.
  'the SQLite file removed under load': { act: rmSync },
  'the SQLite file truncated under load': { act: truncateSync },
  // As a restore does that does not stop the service: the file that was renamed has all that was acknowledged.
  'the SQLite file renamed and replaced under load': {
    act: (file) => {
      renameSync(file, toAway(file));
      writeFileSync(file, '');
    },
    findKept: toAway,
  },
  // The file itself has all that was acknowledged.
  'the -wal of the SQLite file removed under load': {
    act: (file) => {
      rmSync(`${file}-wal`);
    },
    findKept: (file) => file,
  },
};

const databaseFileAttacks: readonly Attack[] = Object.entries(DEEDS).map(([name, deed]) => ({
  name,
  run: () => takeFile(deed),
}));

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

export const databaseAttacks: readonly Attack[] = [...databaseFileAttacks, permanentReader, tableLock];
