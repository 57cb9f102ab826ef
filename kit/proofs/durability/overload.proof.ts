import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRows } from '@contract-kit/test-support/start-app';
import { createLedger, createPlants, SOUND } from './ledger';
import { post, startLoad } from './load';
import { createRandom } from './random';
import { record } from './results';
import { startService, STORES } from './service';

const CLIENTS = 200;
const PLANTS = 100;
const STORM_MS = 5_000;
const LONGEST_STORM_MS = 120_000;
// About as long as a reply takes while so many are sent.
const CUT_MS = 60;

test.each(STORES)('%s, retry storm', async (_, open) => {
  await using database = await open();
  const random = createRandom();
  const plants = Array.from({ length: PLANTS }, createPlants(random));
  const ledger = createLedger();
  for (const plant of plants) ledger.send(plant);
  using service = await startService(database.url);
  const statuses = new Map<number, number>();
  const count = (status: number): number => statuses.get(status) ?? 0;
  const start = performance.now();
  // A busy machine answers fewer requests in the same time.
  const isOver = (): boolean => {
    const isEnough = ledger.acknowledged() === PLANTS && count(200) > PLANTS && count(0) > PLANTS;
    return performance.now() - start > (isEnough ? STORM_MS : LONGEST_STORM_MS);
  };
  /** Sends the same plants again and again, and loses its patience often. */
  const storm = async (): Promise<void> => {
    while (!isOver()) {
      const signal = random.integer(1, 2) === 1 ? null : AbortSignal.timeout(random.integer(0, CUT_MS));
      const plant = random.pick(plants);
      const { status } = await post(service.url, plant, { signal }).catch(() => ({ status: 0 }));
      statuses.set(status, count(status) + 1);
      if (status === 200) ledger.acknowledge(plant);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, storm));
  const audit = await ledger.audit(database.rows);
  const note = `${String(count(200))} times 200, ${String(count(0))} cut`;
  record({ rounds: 1, ...audit, unavailable: count(503), note });
  expect(audit).toMatchObject({ ...SOUND, acknowledged: PLANTS });
  expect(count(200)).toBeGreaterThan(PLANTS);
  expect(count(0)).toBeGreaterThan(PLANTS);
  expect([0, 200, 503]).toEqual(expect.arrayContaining([...statuses.keys()]));
  await service.end('SIGTERM');
});

const LOCK_MS = 10_000;
// A 401 needs no database; one that waited for the lock would take 2 s at least.
const PATIENCE_MS = 1_900;

/** What another process does to hold a lock. */
const LOCKS = {
  SQLite: `const other = new (require('node:sqlite').DatabaseSync)(url.slice('file:'.length), { timeout: 5000 });
    other.exec('BEGIN EXCLUSIVE');
    hold();`,
  PostgreSQL: `const other = new (require(${JSON.stringify(require.resolve('pg'))}).Client)(url);
    other.connect().then(() => other.query('BEGIN; LOCK TABLE plants')).then(hold);`,
};

/** Has another process hold a lock of a database for a while. */
async function lock(store: keyof typeof LOCKS, url: string): Promise<{ isHeld: () => boolean }> {
  const script = `const [url] = process.argv.slice(1);
    const hold = () => { console.log('held'); setTimeout(() => process.exit(), ${String(LOCK_MS)}); };
    ${LOCKS[store]}`;
  const child = spawn(process.execPath, ['--eval', script, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return { isHeld: () => child.exitCode === null };
}

test.each(STORES)('%s, locked for 10 s', async (store, open) => {
  await using database = await open();
  const next = createPlants(createRandom());
  const ledger = createLedger();
  using service = await startService(database.url);
  const load = startLoad(service.url, ledger, next);
  await load.next(200);
  const other = await lock(store, database.url);
  const statuses = new Set<number>();
  let slowestMs = 0;
  while (other.isHeld()) {
    const start = performance.now();
    statuses.add((await post(service.url, next(), { token: 'wrong' })).status);
    slowestMs = Math.max(slowestMs, performance.now() - start);
    await sleep(100);
  }
  const start = performance.now();
  await load.next(200);
  const recoveryMs = performance.now() - start;
  await load.stop();
  const audit = await ledger.audit(database.rows);
  const note = `slowest 401 meanwhile ${slowestMs.toFixed(0)} ms`;
  record({ rounds: 1, ...audit, unavailable: load.statuses.get(503) ?? 0, recoveryMs, note });
  expect(audit).toMatchObject(SOUND);
  expect([...statuses]).toEqual([401]);
  expect(slowestMs).toBeLessThan(PATIENCE_MS);
  expect([200, 503]).toEqual(expect.arrayContaining([...load.statuses.keys()]));
  await service.end('SIGTERM');
});

const DISK = '4m';
const BALLAST = 3 * 1024 ** 2;

test('SQLite, disk full', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', folder.path], { stdio: 'ignore' });
  } catch {
    record({ note: 'did not run: a file system cannot be mounted' });
    return;
  }
  try {
    await fillAndFree(folder.path);
  } finally {
    execFileSync('umount', ['--lazy', folder.path]);
  }
});

/** Fills what is there, and makes room again. */
async function fillAndFree(folder: string): Promise<void> {
  const file = join(folder, 'plants.db');
  const next = createPlants(createRandom());
  const ledger = createLedger();
  using service = await startService(`file:${file}`);
  const load = startLoad(service.url, ledger, next);
  await load.next(200);
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(BALLAST));
  for (let times = 0; times < 20; times++) await load.next(503);
  const full = await ledger.audit(() => readRows(file));
  const stranger = await post(service.url, next(), { token: 'wrong' });
  rmSync(join(folder, 'ballast'));
  const freed = performance.now();
  await load.next(200);
  const recoveryMs = performance.now() - freed;
  await load.stop();
  const audit = await ledger.audit(() => readRows(file));
  record({ rounds: 1, ...audit, unavailable: load.statuses.get(503) ?? 0, recoveryMs });
  expect(full).toMatchObject(SOUND);
  expect(stranger.status).toBe(401);
  expect(audit).toMatchObject(SOUND);
  expect([...load.statuses.keys()].sort()).toEqual([200, 503]);
  await service.end('SIGTERM');
}
