import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRows } from '../support/start-app';
import { openClient, startLoad } from './load';
import { createLedger, SOUND, createPlants } from './ledger';
import { createRandom } from './random';
import { record } from './results';
import { startService } from './service';

const PROOF = 'SQLite, disk full';
const DISK = '4m';
const BALLAST = 3 * 1024 ** 2;

test(PROOF, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    record({ proof: PROOF, note: 'did not run: a file system cannot be mounted' });
    return;
  }
  try {
    await fillAndFree(folder);
  } finally {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  }
});

/** Fills what is there, and makes room again. */
async function fillAndFree(folder: string): Promise<void> {
  const file = join(folder, 'plants.db');
  const next = createPlants(createRandom(PROOF));
  const ledger = createLedger();
  using service = await startService(`file:${file}`);
  const load = startLoad(service.url, ledger, next);
  await load.next(200);
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(BALLAST));
  for (let times = 0; times < 20; times++) await load.next(503);
  const full = await ledger.audit(() => readRows(file));
  const client = openClient(service.url);
  const stranger = await client.post(next(), { token: 'wrong' });
  client.close();
  rmSync(join(folder, 'ballast'));
  const freed = performance.now();
  await load.next(200);
  const recoveryMs = performance.now() - freed;
  await load.stop();
  const audit = await ledger.audit(() => readRows(file));
  record({ proof: PROOF, rounds: 1, ...audit, unavailable: load.statuses.get(503) ?? 0, recoveryMs });
  expect(full).toMatchObject(SOUND);
  expect(stranger.status).toBe(401);
  expect(audit).toMatchObject(SOUND);
  expect([...load.statuses.keys()].sort()).toEqual([200, 503]);
  await service.end('SIGTERM');
}
