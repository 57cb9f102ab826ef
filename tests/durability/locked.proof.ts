import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRows } from '../support/start-app';
import { startPostgres } from '../support/start-postgres';
import { openClient, startLoad } from './load';
import { createLedger, SOUND, createPlants, readPlants, type Row } from './ledger';
import { createRandom } from './random';
import { record } from './results';
import { startService } from './service';

const LOCK_MS = 10_000;
// A 401 needs no database; one that waited for the lock would take 2 s at least.
const PATIENCE_MS = 1_000;

interface Lock {
  readonly held: Promise<unknown>;
  isHeld(): boolean;
}

/** Has another process hold a lock of a database for a while. */
function lock(module: string, code: string, database: string): Lock {
  const script = `const [module, database] = process.argv.slice(1);
    const hold = () => { console.log('held'); setTimeout(() => process.exit(), ${String(LOCK_MS)}); };
    ${code}`;
  const child = spawn(process.execPath, ['--eval', script, module, database], { stdio: ['ignore', 'pipe', 'inherit'] });
  return { held: once(child.stdout, 'data'), isHeld: () => child.exitCode === null };
}

/** What a service does while another process has the lock. */
async function prove(
  proof: string,
  database: string,
  hold: () => Lock,
  rows: () => Row[] | Promise<Row[]>,
): Promise<void> {
  const next = createPlants(createRandom(proof));
  const ledger = createLedger();
  using service = await startService(database);
  const load = startLoad(service.url, ledger, next);
  await load.next(200);
  const other = hold();
  await other.held;
  const client = openClient(service.url);
  const statuses = new Set<number>();
  let slowestMs = 0;
  while (other.isHeld()) {
    const start = performance.now();
    statuses.add((await client.post(next(), { token: 'wrong' })).status);
    slowestMs = Math.max(slowestMs, performance.now() - start);
    await sleep(100);
  }
  const start = performance.now();
  await load.next(200);
  const recoveryMs = performance.now() - start;
  client.close();
  await load.stop();
  const audit = await ledger.audit(rows);
  const note = `slowest 401 meanwhile ${slowestMs.toFixed(0)} ms`;
  record({ proof, rounds: 1, ...audit, unavailable: load.statuses.get(503) ?? 0, recoveryMs, note });
  expect(audit).toMatchObject(SOUND);
  expect([...statuses]).toEqual([401]);
  expect(slowestMs).toBeLessThan(PATIENCE_MS);
  expect([200, 503]).toEqual(expect.arrayContaining([...load.statuses.keys()]));
  await service.end('SIGTERM');
}

test('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'locked-'));
  const file = join(folder, 'plants.db');
  const code = `const other = new (require(module).DatabaseSync)(database, { timeout: 5000 });
    other.exec('BEGIN EXCLUSIVE');
    hold();`;
  await prove(
    'SQLite, locked for 10 s',
    `file:${file}`,
    () => lock('node:sqlite', code, file),
    () => readRows(file),
  );
  rmSync(folder, { recursive: true });
});

test('PostgreSQL', async () => {
  await using postgres = await startPostgres();
  const code = `const other = new (require(module).Client)(database);
    other.connect().then(() => other.query('BEGIN; LOCK TABLE plants')).then(hold);`;
  await prove(
    'PostgreSQL, locked for 10 s',
    postgres.url,
    () => lock(require.resolve('pg'), code, postgres.url),
    () => readPlants(postgres),
  );
});
