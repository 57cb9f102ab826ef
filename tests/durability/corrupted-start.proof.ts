import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PAGE } from './disk';
import { makeDatabase, spawnService } from './service';
import { createRandom } from './random';
import { record } from './results';

// The schema begins behind the header of the file.
const HEADER = 100;

const random = createRandom('corrupted at start');
const folder = mkdtempSync(join(tmpdir(), 'corrupted-'));
const file = join(folder, 'plants.db');
let healthy: Buffer;
beforeAll(async () => {
  healthy = (await makeDatabase()).bytes;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.each([
  ['of random bytes', () => random.bytes(5 * PAGE)],
  ['with a damaged first page', () => Buffer.concat([random.bytes(PAGE), healthy.subarray(PAGE)])],
  [
    'with a damaged schema',
    () => Buffer.concat([healthy.subarray(0, HEADER), random.bytes(PAGE - HEADER), healthy.subarray(PAGE)]),
  ],
  ['cut in half', () => healthy.subarray(0, Math.floor(healthy.length / 2))],
  ['cut within its first page', () => healthy.subarray(0, PAGE / 4)],
])('a file %s stops the start and is left as it was', async (name, damage) => {
  const damaged = damage();
  writeFileSync(file, damaged);
  using service = spawnService(`file:${file}`);
  await expect(service.ended).resolves.toBe(1);
  expect(service.output.stdout).toBe('');
  expect(service.output.stderr).toMatch(/^The plant store cannot start:\nthe database \S+ cannot be used: .*\n$/);
  expect(readFileSync(file).equals(damaged)).toBe(true);
  record({ proof: `SQLite, a file ${name}`, rounds: 1, note: 'refused at start, left as it was' });
});
