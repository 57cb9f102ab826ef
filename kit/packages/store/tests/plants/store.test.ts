import { useDatabases, type Database } from '../databases';
import { openPlantStore, type StoredPlant } from '@contract-kit/test-support/plants/src/store/plant-store';
import type { Row } from '@contract-kit/test-support/start-app';

// What makes plants the same, and what of them is stored, wherever that is. @contract-kit/store has tests of all else.

const databases = useDatabases();

/** In an order of our own: databases have other ones for text. */
function sorted(rows: readonly Row[]): Row[] {
  const toKey = ({ id, name, tag }: Row): string => JSON.stringify([String(id), name, tag]);
  return rows.toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
}

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  let database: Database;
  beforeEach(async () => {
    database = await databases.create(engine);
  });

  async function readPlants(): Promise<Row[]> {
    const rows = await database.read('SELECT id, name, tag FROM plants ORDER BY id');
    return rows.map((row) => ({ ...row, id: BigInt(String(row['id'])) }) as Row);
  }

  /** Adds plants at once, and tells what became of each. */
  async function addAll(plants: readonly StoredPlant[]): Promise<PromiseSettledResult<void>[]> {
    const store = await openPlantStore(database.location);
    const results = await Promise.allSettled(plants.map((plant) => store.add(plant)));
    await store.close();
    return results;
  }

  test('the same plant again is kept once, in one batch, in later ones and after a restart', async () => {
    const rose = { id: 1n, name: 'Rose', tag: 'flower' };
    const fern = { id: 2n, name: 'Fern' };
    const empty = { id: 3n, name: '', tag: '' };
    for (let time = 0; time < 2; time++) await addAll(Array.from({ length: 20 }, () => [rose, fern, empty]).flat());
    expect(sorted(await readPlants())).toEqual([rose, { ...fern, tag: null }, empty]);
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
    expect(sorted(await readPlants())).toEqual(sorted(plants.map((plant) => ({ tag: null, ...plant }))));
  });

  test('ids of the whole int64 range are stored exactly', async () => {
    const ids = [-(2n ** 63n), -(2n ** 53n) - 1n, -1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    await addAll(ids.map((id) => ({ id, name: 'Rose' })));
    expect((await readPlants()).map(({ id }) => id).sort()).toEqual(ids.toSorted());
  });

  test('text is kept as it is: quotes, control characters, beyond the basic plane, long', async () => {
    const texts = [
      `'; DROP TABLE plants; -- "\\' $1 {a,b} \\x41 NULL`,
      '\u0001\t\r\n\u001f\u007f\u2028',
      '🌱𐀀\u{10ffff}\ufffd\ufeff',
      'é🌱x'.repeat(300_000),
    ];
    const plants = texts.map((text, index) => ({ id: BigInt(index), name: text, tag: text }));
    await addAll(plants);
    await expect(readPlants()).resolves.toEqual(plants);
  });
});
