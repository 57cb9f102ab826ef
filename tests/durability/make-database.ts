import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLedger } from './ledger';
import { startLoad } from './load';
import { createPlants } from './plants';
import { createRandom } from './random';
import { startService } from './service';

const FILL_MS = 1_000;

/** The bytes of a SQLite file that a service has filled and closed, and how many rows are in it. */
export async function makeDatabase(): Promise<{ bytes: Buffer; rows: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'database-'));
  const file = join(folder, 'plants.db');
  const service = await startService(`file:${file}`);
  const load = startLoad(service.url, createLedger(), createPlants(createRandom('database')));
  await new Promise((resolve) => setTimeout(resolve, FILL_MS));
  await load.stop();
  await service.end('SIGTERM');
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true });
  return { bytes, rows: load.statuses.get(200) ?? 0 };
}
