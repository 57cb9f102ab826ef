import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRows } from '../support/start-app';
import { startPostgres } from '../support/start-postgres';
import { startService } from './service';
import { createLedger, isSound, NOTHING, SOUND, createPlants, readPlants, type Row } from './ledger';
import { startLoad } from './load';
import { record, showProgress } from './results';
import { ROUNDS, createRandom } from './random';

const SERVER_ROUNDS = Math.ceil(ROUNDS / 5);

/** Kills a service under load at random moments, and starts it again. */
async function killService(proof: string, url: string, rows: () => Row[] | Promise<Row[]>): Promise<void> {
  const random = createRandom(proof);
  const next = createPlants(random);
  const ledger = createLedger();
  let service = await startService(url);
  let audit = NOTHING;
  let rounds = 0;
  let unavailable = 0;
  let recoveryMs = 0;
  while (rounds < ROUNDS && isSound(audit)) {
    const load = startLoad(service.url, ledger, next);
    await sleep(random.integer(50, 300));
    await service.end('SIGKILL');
    await load.stop();
    unavailable += load.statuses.get(503) ?? 0;
    service = await startService(url);
    recoveryMs = Math.max(recoveryMs, service.startMs);
    audit = await ledger.audit(rows);
    showProgress(proof, ++rounds, ROUNDS);
  }
  await service.end('SIGTERM');
  record({ proof, rounds, ...audit, unavailable, recoveryMs });
  expect(audit).toMatchObject(SOUND);
  expect(audit.acknowledged).toBeGreaterThan(rounds);
}

test('SQLite, kill -9 of the service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kills-'));
  const file = join(folder, 'plants.db');
  await killService('SQLite, kill -9 of the service', `file:${file}`, () => readRows(file));
  expect(checkIntegrity(file)).toBe('ok');
  rmSync(folder, { recursive: true });
});

function checkIntegrity(file: string): unknown {
  using database = new DatabaseSync(file);
  return database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
}

test('PostgreSQL, kill -9 of the service', async () => {
  await using postgres = await startPostgres();
  await killService('PostgreSQL, kill -9 of the service', postgres.url, () => readPlants(postgres));
});

test('PostgreSQL, kill -9 of PostgreSQL', async () => {
  const proof = 'PostgreSQL, kill -9 of PostgreSQL';
  await using postgres = await startPostgres();
  const random = createRandom(proof);
  const ledger = createLedger();
  using service = await startService(postgres.url);
  const load = startLoad(service.url, ledger, createPlants(random));
  let audit = NOTHING;
  let rounds = 0;
  let recoveryMs = 0;
  while (rounds < SERVER_ROUNDS && isSound(audit)) {
    await load.next(200);
    await sleep(random.integer(50, 300));
    await postgres.stop('SIGKILL');
    await load.next(503);
    await postgres.start();
    const ready = performance.now();
    await load.next(200);
    recoveryMs = Math.max(recoveryMs, performance.now() - ready);
    audit = await ledger.audit(() => readPlants(postgres));
    showProgress(proof, ++rounds, SERVER_ROUNDS);
  }
  await load.stop();
  audit = await ledger.audit(() => readPlants(postgres));
  record({ proof, rounds, ...audit, unavailable: load.statuses.get(503) ?? 0, recoveryMs });
  expect(audit).toMatchObject(SOUND);
  expect([...load.statuses.keys()].sort()).toEqual([200, 503]);
});
