import { openStore } from '@contract-kit/store';
import { useDatabases, type Database } from '../databases';
import { openPlantStore, type StoredPlant } from '@contract-kit/test-support/plants/src/store/plant-store';
import * as first from './releases/1.0.0';

// What a release left is never lost, and the release before goes on beside this one, as `compatibleFrom` of a migration may
// say. Add each release to the list.
const RELEASES = [first];
const RELEASE_BEFORE = first;

const databases = useDatabases();

const FERN: StoredPlant = { id: 2n, name: 'Fern' };
const MOSS: StoredPlant = { id: 3n, name: 'Moss' };

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  let database: Database;
  beforeEach(async () => {
    database = await databases.create(engine);
  });

  async function readPlants(): Promise<unknown[]> {
    const rows = await database.read('SELECT id, name, tag FROM plants ORDER BY id, name');
    return rows.map(({ id, name, tag }) => ({ id: BigInt(String(id)), name, ...(tag !== null && { tag }) }));
  }

  /** Tables, indexes and versions. */
  const readFormat = async (from: Database): Promise<unknown> =>
    engine === 'sqlite'
      ? [
          await from.read('SELECT type, name, sql FROM sqlite_schema ORDER BY name'),
          await from.read('PRAGMA application_id'),
          await from.read('PRAGMA user_version'),
        ]
      : [
          await from.read(
            `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
             WHERE table_schema = 'public' ORDER BY 1, 2`,
          ),
          await from.read(`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`),
          await from.read('SELECT * FROM plants_version'),
        ];

  test.each(RELEASES)(
    'a database of release %#: every plant stays, and it becomes one of this release',
    async (release) => {
      await database.execute(release[engine]);
      const store = await openPlantStore(database.location);
      await expect(readPlants()).resolves.toEqual(release.plants);
      await Promise.all([...release.plants, MOSS].map((plant) => store.add(plant)));
      await store.close();
      await expect(readPlants()).resolves.toEqual([...release.plants, MOSS]);
      const fresh = await databases.create(engine);
      await (await openPlantStore(fresh.location)).close();
      expect(await readFormat(database)).toEqual(await readFormat(fresh));
    },
  );

  test('the release before starts and writes on a database of this one, and goes on when it was there first', async () => {
    const before = await openStore(database.location, RELEASE_BEFORE.schema);
    const store = await openPlantStore(database.location);
    await Promise.all([before.add.plants(FERN), store.add(FERN)]);
    await before.close();
    const again = await openStore(database.location, RELEASE_BEFORE.schema);
    await Promise.all([again.add.plants(FERN), again.add.plants(MOSS)]);
    await store.add(MOSS);
    await Promise.all([again.close(), store.close()]);
    await expect(readPlants()).resolves.toEqual([FERN, MOSS]);
  });
});
