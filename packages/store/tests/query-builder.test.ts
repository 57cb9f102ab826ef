import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { openStore, type Store } from '../src';
import { useDatabases, noteSchema, type Items, type Label, type Note } from './databases';

// Queries that a builder makes, on both engines. The builder only compiles: DummyDriver has no connection.

interface Tables {
  notes: Note;
  labels: Label;
}

const BUILDERS = {
  sqlite: new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
};

const MILK: Note = { number: 2n ** 53n + 1n, text: 'Milk' };
const TEA: Note = { number: -1n, text: '? $1 tea' };

const databases = useDatabases();

// SQLite takes the text of both dialects.
describe.each([
  ['sqlite', 'sqlite'],
  ['sqlite', 'postgres'],
  ['postgres', 'postgres'],
] as const)('%s, from a builder for %s', (engine, dialect) => {
  const db = BUILDERS[dialect];
  let store: Store<Items>;
  beforeEach(async () => {
    store = await openStore((await databases.create(engine)).location, noteSchema);
    await store.write(db.insertInto('notes').values([MILK, TEA]));
  });
  afterEach(async () => {
    await store.close();
  });

  const allNotes = db.selectFrom('notes').select(['number', 'text']).orderBy('number');

  test('reads rows with the types of their columns, integers as bigints', async () => {
    const notes: Note[] = await store.read(allNotes);
    expect(notes).toEqual([TEA, MILK]);
    const found: { double: bigint }[] = await store.read(
      db
        .selectFrom('notes')
        .select((one) => one('number', '+', one.ref('number')).as('double'))
        .where('text', '=', TEA.text)
        .where('number', '<', 0n)
        .limit(5),
    );
    expect(found).toEqual([{ double: -2n }]);
    // @ts-expect-error: no table has this column
    await expect(store.read(db.selectFrom('notes').select('title'))).rejects.toThrow('title');
  });

  test('a change returns what its RETURNING names, or an empty object for each row', async () => {
    const texts: { text: string }[] = await store.write(
      db.updateTable('notes').set({ text: 'Oat' }).where('number', '>', 0n).returning('text'),
    );
    expect(texts).toEqual([{ text: 'Oat' }]);
    const removed: object[] = await store.write(db.deleteFrom('notes'));
    expect(removed).toEqual([{}, {}]);
    // @ts-expect-error: Kysely's count of rows is not there
    expect((await store.write(db.deleteFrom('notes')))[0]?.numDeletedRows).toBeUndefined();
  });

  test('several, with a statement of plain text, are done all or none', async () => {
    const label = db.insertInto('labels').values({ note: 1n, label: 'shop' });
    const none = { sql: 'DELETE FROM notes WHERE number = $1', values: [5n], toItem: () => true };
    await expect(store.write(label, none)).resolves.toEqual([]);
    await expect(store.write({ ...none, values: [TEA.number] }, label.returning('label'))).resolves.toEqual([
      { label: 'shop' },
    ]);
    await expect(store.read(allNotes)).resolves.toEqual([MILK]);
  });

  test('in a transaction', async () => {
    const notes = await store.transaction(async (tx) => {
      const [tea] = await tx.read(allNotes.where('text', 'like', '%tea'));
      if (tea) await tx.write(db.insertInto('labels').values({ note: tea.number, label: 'shop' }));
      return await tx.write(db.deleteFrom('notes').where('number', '!=', MILK.number).returningAll());
    });
    expect(notes).toEqual([TEA]);
  });
});
