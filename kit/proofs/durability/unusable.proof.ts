import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempDisposableSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StoredPlant } from '@contract-kit/test-support/plants/src/store/plant-store';
import { post, type Reply } from './load';
import { damagePages, PAGE, pagesOf, readReadable, writePages } from './disk';
import { makeDatabase, spawnService, startService, type Service } from './service';
import { createPlants } from './ledger';
import { record, showProgress } from './results';
import { ROUNDS, createRandom, nameOfTest } from './random';

const DAMAGES = Math.min(10, ROUNDS);
const PLANTS = 100;
const LEAK = /sqlite|database|malformed|corrupt|plants\.db/i;

type Sent = readonly { plant: StoredPlant; reply: Reply }[];

// The schema begins behind the header of the file.
const HEADER = 100;

const startRandom = createRandom('corrupted at start');
const random = createRandom('corrupted pages');
const next = createPlants(createRandom('plants for corrupted pages'), 0n);
const folder = mkdtempSync(join(tmpdir(), 'corrupted-'));
const file = join(folder, 'plants.db');
let healthy: Buffer;
let rows: number;
beforeAll(async () => {
  ({ bytes: healthy, rows } = await makeDatabase());
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Sends plants that were not there before. */
async function sendPlants({ url }: Service): Promise<Sent> {
  const sent = [];
  for (let count = 0; count < PLANTS; count++) {
    const plant = next();
    sent.push({ plant, reply: await post(url, plant) });
  }
  const failures = sent.map(({ reply }) => reply).filter(({ status }) => status !== 200);
  expect(failures.filter(({ status, text }) => ![500, 503].includes(status) || LEAK.test(text))).toEqual([]);
  return sent;
}

function promisedOf(sent: Sent): StoredPlant[] {
  return sent.filter(({ reply }) => reply.status === 200).map(({ plant }) => plant);
}

function countUnavailable(sent: Sent): number {
  return sent.filter(({ reply }) => reply.status === 503).length;
}

/** How many of these cannot be read. */
function countLost(promised: readonly { id: bigint | string }[]): number {
  const kept = new Set(readReadable(file, rows + 3 * PLANTS).map(({ id }) => String(id)));
  return promised.filter(({ id }) => !kept.has(String(id))).length;
}

test('SQLite, pages damaged while it was stopped', async () => {
  let [acknowledged, lost, unavailable] = [0, 0, 0];
  for (let round = 1; round <= DAMAGES; round++) {
    writeFileSync(file, healthy);
    const pages = random.shuffle(pagesOf(healthy));
    damagePages(file, pages.slice(0, random.integer(1, Math.floor(pages.length / 2))), random);
    const readable = readReadable(file, rows);
    const service = await startService(`file:${file}`);
    const sent = await sendPlants(service);
    await service.end('SIGTERM');
    const promised = promisedOf(sent);
    acknowledged += promised.length;
    lost += countLost([...readable, ...promised]);
    unavailable += countUnavailable(sent);
    showProgress(nameOfTest(), round, DAMAGES);
  }
  record({ rounds: DAMAGES, acknowledged, lost, unavailable });
  expect(lost).toBe(0);
});

test('SQLite, pages damaged while it runs', async () => {
  writeFileSync(file, healthy);
  using service = await startService(`file:${file}`);
  using other = new DatabaseSync(file);
  // What the service has in memory counts until another process has written.
  const write = 'PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)';
  const before = await sendPlants(service);
  other.exec(write);
  const whole = readFileSync(file);
  damagePages(file, pagesOf(whole), random);
  const meanwhile = await sendPlants(service);
  writePages(file, new Map([[0, whole]]));
  other.exec(write);
  const after = await sendPlants(service);
  await service.end('SIGTERM');
  const promised = promisedOf([...before, ...meanwhile, ...after]);
  const lost = countLost(promised);
  record({ rounds: 1, acknowledged: promised.length, lost, unavailable: countUnavailable(meanwhile) });
  const statuses = [before, meanwhile, after].map((sent) => [...new Set(sent.map(({ reply }) => reply.status))]);
  expect(statuses).toEqual([[200], [503], [200]]);
  expect(lost).toBe(0);
});

/** Tries to start the service on a file. */
async function expectRefusal(database: string, nodeArgs: readonly string[] = []): Promise<void> {
  using service = spawnService(`file:${database}`, nodeArgs);
  await expect(service.ended).resolves.toBe(1);
  expect(service.output.stdout).toBe('');
  expect(service.output.stderr).toMatch(/^The plant store cannot start:\nthe database \S+ cannot be used: .*\n$/);
}

test.each([
  ['of random bytes', () => startRandom.bytes(5 * PAGE)],
  ['with a damaged first page', () => Buffer.concat([startRandom.bytes(PAGE), healthy.subarray(PAGE)])],
  [
    'with a damaged schema',
    () => Buffer.concat([healthy.subarray(0, HEADER), startRandom.bytes(PAGE - HEADER), healthy.subarray(PAGE)]),
  ],
  ['cut in half', () => healthy.subarray(0, Math.floor(healthy.length / 2))],
  ['cut within its first page', () => healthy.subarray(0, PAGE / 4)],
])('a file %s stops the start and is left as it was', async (name, damage) => {
  const damaged = damage();
  writeFileSync(file, damaged);
  await expectRefusal(file);
  expect(readFileSync(file).equals(damaged)).toBe(true);
  record({ proof: `SQLite, a file ${name}`, rounds: 1, note: 'refused at start, left as it was' });
});

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

// Root may write anywhere, so that the service has to be somebody else. Its threads cannot say who they are.
const DROP = `import { isMainThread } from 'node:worker_threads';
  if (isMainThread) { process.setgroups([]); process.setgid(${String(NOBODY)}); process.setuid(${String(NOBODY)}); }`;
const NODE_ARGS = isRoot ? ['--import', `data:text/javascript,${encodeURIComponent(DROP)}`] : [];

function canRun(): boolean {
  if (!isRoot) return true;
  const code = `require(${JSON.stringify(resolve('packages/server/dist/runtime/config.js'))})`;
  return spawnSync(process.execPath, ['--eval', code], { uid: NOBODY, gid: NOBODY, cwd: '/' }).status === 0;
}

test('SQLite, read-only folder', async () => {
  if (!canRun()) {
    record({ note: 'did not run: nobody but root can read this folder' });
    return;
  }
  using own = mkdtempDisposableSync(join(tmpdir(), 'read-only-'));
  const plants = join(own.path, 'plants.db');
  chmodSync(own.path, 0o555);
  await expectRefusal(plants, NODE_ARGS);
  expect(readdirSync(own.path)).toEqual([]);

  chmodSync(own.path, 0o755);
  await (await startService(`file:${plants}`)).end('SIGTERM');
  chmodSync(plants, 0o444);
  const before = readFileSync(plants);
  chmodSync(own.path, 0o555);
  await expectRefusal(plants, NODE_ARGS);
  expect(readFileSync(plants).equals(before)).toBe(true);
  chmodSync(own.path, 0o755);
  record({ rounds: 2, note: 'refused at start, left as it was' });
});
