import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRows } from '../support/start-app';
import { findPort } from '../support/find-port';
import { initialize, runPostgres, toUrl } from './postgres';
import { createLedger, isSound, NOTHING, SOUND, createPlants, type Row } from './ledger';
import { startLoad } from './load';
import { createLoopDisk, type LoopDisk } from './disk';
import { record, showProgress } from './results';
import { ROUNDS, createRandom } from './random';
import { startService } from './service';

const CUTS = Math.min(10, ROUNDS);

/** A store that begins anew on a disk. */
interface Start {
  readonly url: string;
  readonly rows: () => Row[] | Promise<Row[]>;
  readonly kill: () => Promise<void>;
}

async function prove(proof: string, disk: LoopDisk, start: () => Start | Promise<Start>): Promise<void> {
  const random = createRandom(proof);
  const next = createPlants(random);
  const ledger = createLedger();
  let audit = NOTHING;
  let rounds = 0;
  let store = await start();
  let service = await startService(store.url);
  while (rounds < CUTS && isSound(audit)) {
    const load = startLoad(service.url, ledger, next);
    await sleep(random.integer(50, 300));
    await Promise.all([store.kill(), service.end('SIGKILL')]);
    await load.stop();
    disk.cutPower();
    store = await start();
    service = await startService(store.url);
    audit = await ledger.audit(store.rows);
    showProgress(proof, ++rounds, CUTS);
  }
  await Promise.all([store.kill(), service.end('SIGKILL')]);
  record({ proof, rounds, ...audit });
  expect(audit).toMatchObject(SOUND);
  expect(audit.acknowledged).toBeGreaterThan(rounds);
}

function createDisk(proof: string): LoopDisk | undefined {
  try {
    return createLoopDisk();
  } catch {
    record({ proof, note: 'did not run: a file system cannot be mounted' });
    return undefined;
  }
}

test('SQLite', async () => {
  const proof = 'SQLite, power cut';
  using disk = createDisk(proof);
  if (disk === undefined) return;
  await prove(proof, disk, () => {
    const file = join(disk.folder, 'plants.db');
    return { url: `file:${file}`, rows: () => readRows(file), kill: () => Promise.resolve() };
  });
});

test('PostgreSQL', async () => {
  const proof = 'PostgreSQL, power cut';
  using disk = createDisk(proof);
  if (disk === undefined) return;
  await initialize(disk.folder, join(disk.folder, 'data'));
  // Initialising is in a hurry; whoever does it for good syncs, too.
  execFileSync('sync', ['--file-system', disk.folder]);
  await prove(proof, disk, async () => {
    const port = await findPort();
    const server = await runPostgres(join(disk.folder, 'data'), port);
    return {
      url: toUrl(port),
      rows: () => server.query<Row>('SELECT id, name, tag FROM plants'),
      kill: () => server.kill(),
    };
  });
});
