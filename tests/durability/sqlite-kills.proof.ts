import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readRows } from '../support/start-app';
import { killUnderLoad, startService } from './service';
import { createLedger, isSound, NOTHING, SOUND, createPlants } from './ledger';
import { record, showProgress } from './results';
import { ROUNDS } from './settings';
import { createRandom } from './random';

const PROOF = 'SQLite, kill -9 of the service';

test(PROOF, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kills-'));
  const file = join(folder, 'plants.db');
  const random = createRandom(PROOF);
  const next = createPlants(random);
  const ledger = createLedger();
  let service = await startService(`file:${file}`);
  let audit = NOTHING;
  let rounds = 0;
  let unavailable = 0;
  let recoveryMs = 0;
  while (rounds < ROUNDS && isSound(audit)) {
    const { statuses } = await killUnderLoad(service, random, ledger, next);
    unavailable += statuses.get(503) ?? 0;
    service = await startService(`file:${file}`);
    recoveryMs = Math.max(recoveryMs, service.startMs);
    audit = await ledger.audit(() => readRows(file));
    showProgress(PROOF, ++rounds, ROUNDS);
  }
  await service.end('SIGTERM');
  record({ proof: PROOF, rounds, ...audit, unavailable, recoveryMs });
  expect(audit).toMatchObject(SOUND);
  expect(audit.acknowledged).toBeGreaterThan(rounds);
  expect(checkIntegrity(file)).toBe('ok');
  rmSync(folder, { recursive: true });
});

function checkIntegrity(file: string): unknown {
  using database = new DatabaseSync(file);
  return database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
}
