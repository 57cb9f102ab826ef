import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredPlant } from '../../src/store/plant-store';
import { readRows } from '../support/start-app';
import { startPostgres } from '../support/start-postgres';
import { openClient } from './load';
import { createLedger, SOUND, createPlants, readPlants, type Ledger, type Row } from './ledger';
import { createRandom, type Random } from './random';
import { record } from './results';
import { startService } from './service';

const CLIENTS = 200;
const PLANTS = 100;
const STORM_MS = 5_000;
// About as long as a reply takes while so many are sent.
const CUT_MS = 60;

/** Sends the same plants again and again, and loses its patience often. */
async function storm(
  url: string,
  plants: readonly StoredPlant[],
  ledger: Ledger,
  random: Random,
): Promise<Map<number, number>> {
  const end = performance.now() + STORM_MS;
  const statuses = new Map<number, number>();
  const client = openClient(url);
  const post = async (plant: StoredPlant, options = {}): Promise<void> => {
    const { status } = await client.post(plant, options).catch(() => ({ status: 0 }));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 200) ledger.acknowledge(plant);
  };
  while (performance.now() < end) {
    const isPatient = random.integer(1, 2) === 1;
    await post(random.pick(plants), isPatient ? {} : { signal: AbortSignal.timeout(random.integer(0, CUT_MS)) });
  }
  client.close();
  return statuses;
}

async function prove(proof: string, database: string, rows: () => Row[] | Promise<Row[]>): Promise<void> {
  const random = createRandom(proof);
  const plants = Array.from({ length: PLANTS }, createPlants(random));
  const ledger = createLedger();
  for (const plant of plants) ledger.send(plant);
  using service = await startService(database);
  const all = await Promise.all(Array.from({ length: CLIENTS }, () => storm(service.url, plants, ledger, random)));
  const audit = await ledger.audit(rows);
  const count = (status: number): number => all.reduce((sum, statuses) => sum + (statuses.get(status) ?? 0), 0);
  const note = `${String(count(200))} times 200, ${String(count(0))} cut`;
  record({ proof, rounds: 1, ...audit, unavailable: count(503), note });
  expect(audit).toMatchObject({ ...SOUND, acknowledged: PLANTS });
  expect(count(200)).toBeGreaterThan(PLANTS);
  expect(count(0)).toBeGreaterThan(PLANTS);
  expect([0, 200, 503]).toEqual(expect.arrayContaining([...new Set(all.flatMap((statuses) => [...statuses.keys()]))]));
  await service.end('SIGTERM');
}

test('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'storm-'));
  const file = join(folder, 'plants.db');
  await prove('SQLite, retry storm', `file:${file}`, () => readRows(file));
  rmSync(folder, { recursive: true });
});

test('PostgreSQL', async () => {
  await using postgres = await startPostgres();
  await prove('PostgreSQL, retry storm', postgres.url, () => readPlants(postgres));
});
