import { openStore, type Migration, type Statement, type Store, type StoreSchema } from '../src';
import { startDatabases, type Database, type Databases } from './databases';
import { nextSchema, noteSchema, type Items, type NextItems, type RankedNote } from './notes';

let databases: Databases;
beforeAll(async () => {
  databases = await startDatabases();
});
afterAll(async () => {
  await databases[Symbol.asyncDispose]();
});

/** Its next migration drops the notes that labels refer to. */
const carelessSchema: StoreSchema<NextItems> = {
  ...nextSchema,
  migrations: [
    ...nextSchema.migrations,
    { sqlite: 'DELETE FROM notes; DROP TABLE nothing', postgres: 'DELETE FROM notes; DROP TABLE nothing' },
  ],
};

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  let database: Database;
  beforeEach(async () => {
    database = await databases.create(engine);
  });

  const open = (): Promise<Store<Items>> => openStore(database.location, noteSchema);
  const openNext = (): Promise<Store<NextItems>> => openStore(database.location, nextSchema);

  async function readAll(table: string): Promise<string[]> {
    const rows = await database.read(`SELECT * FROM ${table} ORDER BY 1, 2`);
    return rows.map((row) => Object.values(row).join());
  }

  /** A database of version 1 with a note and a label. */
  async function fill(): Promise<void> {
    const store = await open();
    await Promise.all([store.add.notes({ number: 1n, text: 'Milk' }), store.add.labels({ note: 1n, label: 'shop' })]);
    await store.close();
  }

  const version = async (): Promise<string[]> =>
    engine === 'sqlite'
      ? (await database.read('PRAGMA user_version')).map((row) => String(row['user_version']))
      : (await database.read('SELECT version FROM notes_version')).map((row) => String(row['version']));

  test('a database of version 1 becomes one of version 2 with every row, and is refused by version 1 then', async () => {
    await fill();
    await expect(version()).resolves.toEqual(['1']);
    const store = await openNext();
    await expect(readAll('notes')).resolves.toEqual(['1,Milk,0']);
    await store.add.notes({ number: 2n, text: 'Tea', rank: 7n });
    await store.add.labels({ note: 2n, label: 'home' });
    await store.close();
    await expect(readAll('notes')).resolves.toEqual(['1,Milk,0', '2,Tea,7']);
    await expect(readAll('labels')).resolves.toEqual(['1,shop', '2,home']);
    await expect(version()).resolves.toEqual(['2']);
    await expect(open()).rejects.toThrow('by a newer version (its format is 2): the compatibleFrom of');
  });

  describe('expand first, contract a release later', () => {
    // Version 2 adds a column, version 3 is of the same release, version 4 drops what servers of version 1 use.
    const both = (sql: string, compatibleFrom?: number): Migration => ({
      sqlite: sql,
      postgres: sql,
      ...(compatibleFrom !== undefined && { compatibleFrom }),
    });
    const migrations = [
      ...noteSchema.migrations,
      both('ALTER TABLE notes ADD COLUMN rank integer NOT NULL DEFAULT 7', 1),
      both('CREATE TABLE ranks (rank integer, name text)', 1),
      both('DROP TABLE labels', 2),
    ];
    const expanded = { ...nextSchema, migrations: migrations.slice(0, 3) };
    const contracted = { ...expanded, migrations, tables: { notes: nextSchema.tables.notes } };
    const textOf: Statement<string> = {
      sql: 'SELECT text FROM notes WHERE number = $1',
      values: [2n],
      toItem: ({ text }: { text: string }) => text,
    };

    test('servers of the release before go on, and start, beside those of the next one', async () => {
      await fill();
      const running = await open();
      const next = await openStore(database.location, expanded);
      await running.add.notes({ number: 2n, text: 'Tea' });
      await next.add.notes({ number: 3n, text: 'Rice', rank: 1n });
      await running.close();
      const again = await open();
      await expect(again.read(textOf)).resolves.toEqual(['Tea']);
      await again.add.notes({ number: 4n, text: 'Oil' });
      await expect(
        again.write({ ...textOf, sql: 'DELETE FROM notes WHERE number = $1 RETURNING text' }),
      ).resolves.toEqual(['Tea']);
      await Promise.all([again.close(), next.close()]);
      await expect(readAll('notes')).resolves.toEqual(['1,Milk,7', '3,Rice,1', '4,Oil,7']);
      await expect(readAll('ranks')).resolves.toEqual([]);
      // The release before finds its own version.
      await expect(version()).resolves.toEqual(['1']);
    });

    test('a server of the release before the last one is refused, and nothing is changed by it', async () => {
      await fill();
      await (await openStore(database.location, contracted)).close();
      await expect(version()).resolves.toEqual(['2']);
      await expect(open()).rejects.toThrow('by a newer version (its format is 2): the compatibleFrom of');
      const store = await openStore(database.location, { ...expanded, tables: contracted.tables });
      await store.add.notes({ number: 2n, text: 'Tea', rank: 1n });
      await store.close();
      await expect(readAll('notes')).resolves.toEqual(['1,Milk,7', '2,Tea,1']);
    });

    test('a database that one release left is taken on by each later one', async () => {
      await fill();
      for (const schema of [expanded, contracted])
        await (await openStore(database.location, schema as typeof contracted)).close();
      await expect(readAll('notes')).resolves.toEqual(['1,Milk,7']);
      await expect(readAll('labels')).rejects.toThrow();
    });

    test('a version table that makes no sense is no reason to migrate', async () => {
      await fill();
      await (await openStore(database.location, expanded)).close();
      await database.execute('UPDATE notes_version SET migrations = 0');
      await expect(openStore(database.location, contracted)).rejects.toThrow('by another version (its format is 1)');
      await expect(readAll('labels')).resolves.toEqual(['1,shop']);
    });
  });

  test('a migration may not end its transaction', async () => {
    await fill();
    const { migrations } = noteSchema;
    const schema = { ...noteSchema, migrations: [...migrations, { sqlite: 'COMMIT', postgres: 'COMMIT' }] };
    await expect(openStore(database.location, schema)).rejects.toThrow(
      'cannot be used: a migration may not end its transaction',
    );
    await expect(version()).resolves.toEqual(['1']);
  });

  test('an empty database gets all migrations', async () => {
    await (await openNext()).close();
    await expect(readAll('notes')).resolves.toEqual([]);
    await expect(version()).resolves.toEqual(['2']);
  });

  test.each([
    ['an empty database', () => Promise.resolve(), []],
    ['a database of version 1', fill, ['1,Milk,0']],
  ])('ten servers that start at once on %s make each migration once', async (_, prepare, before) => {
    await prepare();
    const stores = await Promise.all(Array.from({ length: 10 }, openNext));
    await Promise.all(stores.map((store, index) => store.add.notes({ number: 9n, text: 'Tea', rank: BigInt(index) })));
    await Promise.all(stores.map((store) => store.close()));
    const notes = await readAll('notes');
    expect(notes).toEqual([...before, expect.stringMatching(/^9,Tea,\d$/)]);
    await expect(version()).resolves.toEqual(['2']);
  });

  test('a migration that fails changes nothing', async () => {
    await fill();
    await (await openNext()).close();
    await expect(openStore(database.location, carelessSchema)).rejects.toThrow(/cannot be used: .*nothing/);
    await expect(readAll('notes')).resolves.toEqual(['1,Milk,0']);
    await expect(readAll('labels')).resolves.toEqual(['1,shop']);
    await expect(version()).resolves.toEqual(['2']);
    await (await openNext()).close();
  });
});

test('PostgreSQL: a table is filled after those that it refers to', async () => {
  const database = await databases.create('postgres');
  const store = await openStore(database.location, nextSchema);
  const { add } = store;
  const toNote = (number: bigint): RankedNote => ({ number, text: 'Milk', rank: 1n });
  // The first ones begin alone, the others wait for a commit together.
  await Promise.all([
    add.notes(toNote(1n)),
    add.notes(toNote(2n)),
    add.labels({ note: 3n, label: 'shop' }),
    add.notes(toNote(3n)),
  ]);
  await store.close();
  await expect(database.read('SELECT label FROM labels')).resolves.toHaveLength(1);
});

test('SQLite: a migration may not leave a row that refers to none', async () => {
  const database = await databases.create('sqlite');
  const store = await openStore(database.location, nextSchema);
  await store.add.notes({ number: 1n, text: 'Milk', rank: 1n });
  await store.add.labels({ note: 1n, label: 'shop' });
  await store.close();
  const { migrations } = nextSchema;
  const schema = { ...nextSchema, migrations: [...migrations, { sqlite: 'DELETE FROM notes', postgres: '' }] };
  await expect(openStore(database.location, schema)).rejects.toThrow(
    'cannot be used: a migration would leave a row of labels that refers to none',
  );
  await expect(database.read('SELECT * FROM notes')).resolves.toHaveLength(1);
});
