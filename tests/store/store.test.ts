import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../../src/store/open-store';
import { StoreUnavailable, type StoredPlant, type Commit } from '../../src/store/plant-store';
import type { StoreLocation } from '../../src/store/store-location';
import { readRows, type Row } from '../start-app';
import { startPostgres, type RunningPostgres } from '../start-postgres';

/** What every store has to do, wherever it keeps its plants. */

/** A database that is empty, and what another program sees of it and does to it. */
interface Database {
  readonly location: StoreLocation;
  rows(): Promise<Row[]>;
  /** From now on a plant of this name cannot be kept: whoever owns the database wants it so. */
  refuse(name: string): Promise<void>;
}

const folder = mkdtempSync(join(tmpdir(), 'store-'));
let postgres: RunningPostgres;
let databases = 0;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function createFile(): Promise<Database> {
  const file = join(folder, `${String(++databases)}.db`);
  return Promise.resolve({
    location: { file },
    rows: () => Promise.resolve(readRows(file)),
    refuse: (name) =>
      Promise.try(() => {
        const database = new DatabaseSync(file);
        // What has no absolute value cannot be in the index.
        const refuse = `CASE WHEN name = '${name}' THEN abs(-9223372036854775808) END`;
        database.exec(`CREATE INDEX refuse ON plants (${refuse})`);
        database.close();
      }),
  });
}

async function createDatabase(): Promise<Database> {
  const name = `plants${String(++databases)}`;
  await postgres.query(`CREATE DATABASE ${name}`);
  const url = new URL(`/${name}`, postgres.url).href;
  return {
    location: { servers: [url] },
    async rows() {
      const rows = await postgres.query('SELECT id, name, tag FROM plants ORDER BY id', name);
      return rows.map((row) => ({ ...row, id: BigInt(String(row['id'])) }) as Row);
    },
    async refuse(plant) {
      await postgres.query(`ALTER TABLE plants ADD CHECK (name <> '${plant}')`, name);
    },
  };
}

/** In an order of our own: databases have other ones for text. */
function sorted(rows: readonly Row[]): Row[] {
  const toKey = ({ id, name, tag }: Row): string => JSON.stringify([String(id), name, tag]);
  return rows.toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
}

describe.each([
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
])('%s', (_, create) => {
  let database: Database;
  beforeEach(async () => {
    database = await create();
  });

  /** Adds plants at once, and tells what became of each. */
  async function addAll(plants: readonly StoredPlant[]): Promise<PromiseSettledResult<void>[]> {
    const store = await openStore(database.location);
    const results = await Promise.allSettled(plants.map((plant) => store.add(plant)));
    await store.close();
    return results;
  }

  test('a plant is kept when it is acknowledged, and after a restart', async () => {
    const store = await openStore(database.location);
    await store.add({ id: 1n, name: 'Rose', tag: 'flower' });
    await expect(database.rows()).resolves.toEqual([{ id: 1n, name: 'Rose', tag: 'flower' }]);
    await store.close();
    await addAll([{ id: 2n, name: 'Fern' }]);
    await expect(database.rows()).resolves.toHaveLength(2);
  });

  test('the same plant again is kept once, in one batch, in later ones and after a restart', async () => {
    const rose = { id: 1n, name: 'Rose', tag: 'flower' };
    const fern = { id: 2n, name: 'Fern' };
    for (let time = 0; time < 2; time++) await addAll(Array.from({ length: 20 }, () => [rose, fern]).flat());
    expect(sorted(await database.rows())).toEqual([rose, { ...fern, tag: null }]);
  });

  test('another name or tag under the same id is another plant', async () => {
    const plants: StoredPlant[] = [
      { id: 1n, name: 'a' },
      { id: 1n, name: 'A' },
      { id: 1n, name: 'a', tag: '' },
      { id: 1n, name: 'a ' },
      { id: 1n, name: '', tag: 'a' },
      { id: 1n, name: 'a', tag: 'b' },
      { id: 1n, name: 'a:b' },
      { id: 1n, name: '\u00e9' },
      { id: 1n, name: 'e\u0301' },
    ];
    await addAll(plants);
    expect(sorted(await database.rows())).toEqual(sorted(plants.map((plant) => ({ tag: null, ...plant }))));
  });

  test.each([-(2n ** 63n), -(2n ** 53n) - 1n, -1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n])(
    'id %d is exact',
    async (id) => {
      await addAll([{ id, name: 'Rose' }]);
      await expect(database.rows()).resolves.toEqual([{ id, name: 'Rose', tag: null }]);
    },
  );

  test.each([
    ['quotes', `'; DROP TABLE plants; -- "\\' $1 {a,b} \\x41 NULL`],
    ['control characters', '\u0001\t\r\n\u001f\u007f\u2028'],
    ['beyond the basic plane', '🌱𐀀\u{10ffff}\ufffd\ufeff'],
    ['long', 'é🌱x'.repeat(300_000)],
  ])('text that is %s is kept as it is', async (_name, text) => {
    await addAll([{ id: 1n, name: text, tag: text }]);
    await expect(database.rows()).resolves.toEqual([{ id: 1n, name: text, tag: text }]);
  });

  test('many plants at once are all kept', async () => {
    const plants = Array.from({ length: 1_500 }, (_, index) => ({ id: BigInt(index % 1_200), name: 'Rose' }));
    const results = await addAll(plants);
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    await expect(database.rows()).resolves.toHaveLength(1_200);
  });

  test('of a batch with a plant that cannot be kept, the others are', async () => {
    await addAll([]);
    await database.refuse('Weed');
    const names = ['Rose', 'Weed', 'Fern', 'Weed', 'Moss', 'Ivy', 'Weed'];
    const results = await addAll(names.map((name, index) => ({ id: BigInt(index), name })));
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual(names.map((name) => name !== 'Weed'));
    expect((results[1] as PromiseRejectedResult).reason).not.toBeInstanceOf(StoreUnavailable);
    expect((await database.rows()).map(({ name }) => name)).toEqual(['Rose', 'Fern', 'Moss', 'Ivy']);
  });

  test('it can be asked how it is', async () => {
    const store = await openStore(database.location);
    await expect(store.check()).resolves.toBeUndefined();
    const added = [1n, 2n, 3n, 4n, 5n].map((id) => store.add({ id, name: 'Rose' }));
    expect(store.countWaiting()).toBeGreaterThan(0);
    await Promise.all(added);
    expect(store.countWaiting()).toBe(0);
    await expect(database.rows()).resolves.toHaveLength(5);
    await store.close();
  });

  test('every commit is told of', async () => {
    await (await openStore(database.location)).close();
    await database.refuse('Weed');
    const commits: Commit[] = [];
    const store = await openStore(database.location, { observeCommit: (commit) => commits.push(commit) });
    await Promise.all([1n, 2n, 3n].map((id) => store.add({ id, name: 'Rose' })));
    await expect(store.add({ id: 4n, name: 'Weed' })).rejects.toThrow();
    await store.close();
    expect(commits.reduce((sum, { size }) => sum + size, 0)).toBe(4);
    expect(commits.map(({ isKept }) => isKept)).toEqual([...commits.slice(1).map(() => true), false]);
    for (const { milliseconds } of commits) expect(milliseconds).toBeGreaterThan(0);
  });

  test('closing waits for what was added before, and nothing is kept after it', async () => {
    const store = await openStore(database.location);
    const added = Array.from({ length: 50 }, (_, index) => store.add({ id: BigInt(index), name: 'Rose' }));
    await store.close();
    await Promise.all(added);
    await expect(store.add({ id: 99n, name: 'Rose' })).rejects.toThrow(StoreUnavailable);
    await expect(database.rows()).resolves.toHaveLength(50);
  });

  test('several stores on one database keep what overlaps once', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(database.location)));
    const ids = Array.from({ length: 200 }, (_, id) => BigInt(id));
    const added = stores.flatMap((store, index) =>
      (index % 2 === 0 ? ids : ids.toReversed()).map((id) => store.add({ id, name: 'Rose', tag: 'flower' })),
    );
    await Promise.all(added);
    await Promise.all(stores.map((store) => store.close()));
    expect(new Set((await database.rows()).map(({ id }) => id))).toEqual(new Set(ids));
    await expect(database.rows()).resolves.toHaveLength(ids.length);
  });
});
