import { Client } from 'pg';
import { DatabaseSync } from 'node:sqlite';
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
import { openStore, StoreUnavailable, type Statement, type Store } from '../src';
import { useDatabases, type Database, noteSchema, toNote, type Items, type Label, type Note } from './databases';

// What is read and changed by statements of a service, on both engines.

const databases = useDatabases();

const toLabel = ({ label }: { label: string }): string => label;

const listNotes = (after: bigint, limit: number): Statement<Note> => ({
  sql: 'SELECT number, text FROM notes WHERE number > $2 ORDER BY number LIMIT $1',
  values: [limit, after],
  toItem: toNote,
});

const renameNote = ({ number, text }: Note): Statement<Note> => ({
  sql: 'UPDATE notes SET text = $2 WHERE number = $1 RETURNING number, text',
  values: [number, text],
  toItem: toNote,
});

const removeLabels = (note: bigint, options: { isOptional?: true } = {}): Statement<true> => ({
  sql: 'DELETE FROM labels WHERE note = $1',
  values: [note],
  toItem: () => true,
  ...options,
});

const addLabel = ({ note, label }: Label): Statement<string> => ({
  sql: 'INSERT INTO labels (note, label) VALUES ($1, $2) RETURNING label',
  values: [note, label],
  toItem: toLabel,
});

const MILK: Note = { number: 1n, text: 'Milk' };
const TEA: Note = { number: 2n ** 53n + 1n, text: '$1 tea; 茶' };

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  let database: Database;
  let store: Store<Items>;
  beforeEach(async () => {
    database = await databases.create(engine);
    store = await openStore(database.location, noteSchema);
  });
  afterEach(async () => {
    await store.close();
  });

  const fill = (): Promise<unknown> =>
    Promise.all([
      store.add.notes(MILK),
      store.add.notes(TEA),
      store.add.labels({ note: 1n, label: 'shop' }),
      store.add.labels({ note: 1n, label: 'home' }),
    ]);
  const readLabels = async (): Promise<unknown[]> =>
    (await database.read('SELECT label FROM labels ORDER BY label')).map((row) => row['label']);

  test('what is acknowledged is read, exactly and in the order of the statement', async () => {
    await expect(store.read(listNotes(0n, 10))).resolves.toEqual([]);
    await fill();
    await expect(store.read(listNotes(0n, 10))).resolves.toEqual([MILK, TEA]);
    await expect(store.read(listNotes(0n, 1))).resolves.toEqual([MILK]);
    await expect(store.read(listNotes(1n, 10))).resolves.toEqual([TEA]);
  });

  test('a statement has a text of its own for each engine where they differ; all integers are bigints', async () => {
    await fill();
    const counted: Statement<unknown> = {
      sql: {
        sqlite: `SELECT count(*) AS count, 1 AS one, typeof($1) AS type, $1 AS text, $2 AS none, $3 AS bytes FROM notes`,
        postgres: `SELECT count(*) AS count, 1 AS one, pg_typeof($1::text)::text AS type, $1 AS text, $2::text AS none,
          $3::bytea AS bytes FROM notes`,
      },
      values: ['a', null, Buffer.from('bytes')],
      toItem: (row) => row,
    };
    const [row] = await store.read(counted);
    expect(row).toMatchObject({ count: 2n, one: 1n, type: 'text', text: 'a', none: null });
    expect(Buffer.from((row as { bytes: Uint8Array }).bytes).toString()).toBe('bytes');
  });

  test('many statements at once are all answered, each with its own rows', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, n) => store.add.notes({ number: BigInt(n), text: String(n) })));
    const found = await Promise.all(Array.from({ length: 300 }, (_, n) => store.read(listNotes(BigInt(n - 1), 1))));
    expect(found.flat().map(({ text }) => text)).toEqual(Array.from({ length: 300 }, (_, n) => String(n)));
  });

  test('a change returns what it changed, and nothing if there is nothing to change', async () => {
    await fill();
    await expect(store.write(renameNote({ number: 1n, text: 'Oat' }))).resolves.toEqual([{ number: 1n, text: 'Oat' }]);
    await expect(store.write(renameNote({ number: 9n, text: 'Oat' }))).resolves.toEqual([]);
    await expect(store.write(removeLabels(1n))).resolves.toEqual([true, true]);
    await expect(store.write(removeLabels(1n))).resolves.toEqual([]);
    await expect(store.read(listNotes(0n, 10))).resolves.toEqual([{ number: 1n, text: 'Oat' }, TEA]);
  });

  test('statements are done all or none: none if one changes no row, unless that is optional', async () => {
    await fill();
    const label: Label = { note: 1n, label: 'new' };
    await expect(
      store.write(removeLabels(1n), renameNote({ number: 9n, text: 'Oat' }), addLabel(label)),
    ).resolves.toEqual([]);
    await expect(readLabels()).resolves.toEqual(['home', 'shop']);
    await expect(store.write(removeLabels(1n), addLabel(label), addLabel(label))).rejects.toThrow();
    await expect(readLabels()).resolves.toEqual(['home', 'shop']);
    await expect(store.write(removeLabels(9n), addLabel(label))).resolves.toEqual([]);
    await expect(store.write(removeLabels(9n, { isOptional: true }), addLabel(label))).resolves.toEqual(['new']);
    await expect(readLabels()).resolves.toEqual(['home', 'new', 'shop']);
    await expect(
      store.write(addLabel({ note: 1n, label: 'last' }), removeLabels(9n, { isOptional: true })),
    ).resolves.toEqual([]);
    await expect(readLabels()).resolves.toEqual(['home', 'last', 'new', 'shop']);
  });

  test('the stack of an error has the statements, the types of their values, and who asked', async () => {
    const wrong: Statement<unknown> = {
      sql: `SELECT wrong
        FROM notes WHERE text = $1 AND number = $2`,
      values: ['a secret', 1n],
      toItem: (row) => row,
    };
    const removed: Statement<unknown> = { ...wrong, sql: 'DELETE FROM nowhere', values: [null, 1.5, Buffer.alloc(1)] };
    async function readAsHandler(): Promise<unknown> {
      return await store.read(wrong);
    }
    async function writeAsHandler(): Promise<unknown> {
      const written = await store.write(removeLabels(1n, { isOptional: true }), removed);
      return written;
    }
    const [read, write] = await Promise.all(
      [readAsHandler(), writeAsHandler()].map((asked) =>
        asked.catch((error: unknown) => String((error as Error).stack)),
      ),
    );
    expect(read).toMatch(
      /wrong[^]*\n {4}at [^]*\nin SELECT wrong FROM notes WHERE text = \$1 AND number = \$2 \(string, bigint\)\n {4}at [^]*readAsHandler/,
    );
    expect(read).not.toContain('secret');
    expect(write).toMatch(
      /nowhere[^]*\nin DELETE FROM labels WHERE note = \$1 \(bigint\)\nin DELETE FROM nowhere \(null, number, bytes\)\n[^]*writeAsHandler/,
    );
  });

  test('a text has one statement, with as many values as it names and at most 65,535', async () => {
    await fill();
    const numbers = Array.from({ length: 65_536 }, (_, n) => BigInt(n));
    const many = numbers.map((n) => `$${String(n + 1n)}`).join();
    const remove = (sql: string, values: bigint[] = []): Promise<unknown[]> =>
      store.write({ sql, values, toItem: () => 1 });
    const tooMany = await remove(`DELETE FROM notes WHERE number IN (${many})`, numbers).catch(
      (error: unknown) => error,
    );
    expect(tooMany).not.toBeInstanceOf(StoreUnavailable);
    expect(String((tooMany as Error).stack).length).toBeLessThan(5_000);
    await expect(remove('DELETE FROM notes; DELETE FROM labels')).rejects.not.toThrow(StoreUnavailable);
    await expect(remove('DELETE FROM notes WHERE number = $1', [1n, 2n])).rejects.not.toThrow(StoreUnavailable);
    await expect(store.read(listNotes(0n, 10))).resolves.toEqual([MILK, TEA]);
    await expect(remove('DELETE FROM notes; -- all of them')).resolves.toHaveLength(2);
  });

  test('a condition holds whatever else is written: of 64 that take one of 10, ten get it', async () => {
    const other = await openStore(database.location, noteSchema);
    await store.add.notes({ number: 10n, text: 'left' });
    const take: Statement<bigint> = {
      sql: `UPDATE notes SET number = number - 1 WHERE text = $1 AND number > 0 RETURNING number`,
      values: ['left'],
      toItem: ({ number }: { number: bigint }) => number,
    };
    const taken = await Promise.all(
      Array.from({ length: 64 }, (_, n) => {
        const sold: Label = { note: BigInt(n), label: 'sold' };
        return (n % 2 === 0 ? store : other).write(take, addLabel(sold));
      }),
    );
    expect(taken.filter((labels) => labels.length === 1)).toHaveLength(10);
    await expect(readLabels()).resolves.toHaveLength(10);
    await expect(store.read(listNotes(-1n, 10))).resolves.toEqual([{ number: 0n, text: 'left' }]);
    await other.close();
  });

  test('one that fails is no fault of the store, and fails no other', async () => {
    await fill();
    const wrong: Statement<unknown> = { sql: 'SELECT nothing FROM notes', values: [], toItem: () => 1 };
    const same = addLabel({ note: 1n, label: 'shop' });
    const results = await Promise.allSettled([
      store.read(wrong),
      store.write(same),
      store.write(wrong),
      store.add.notes({ number: 3n, text: 'Rice' }),
      store.read(listNotes(0n, 1)),
      store.write(renameNote({ number: 1n, text: 'Oat' })),
    ]);
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([false, false, false, true, true, true]);
    for (const result of results.slice(0, 3)) {
      expect((result as PromiseRejectedResult).reason).not.toBeInstanceOf(StoreUnavailable);
    }
  });

  test.each(['COMMIT', 'ROLLBACK', 'COMMIT AND CHAIN', 'rollback and chain', 'COPY notes TO STDOUT'])(
    '%s is the fault of the caller, and fails nothing that comes later',
    async (sql) => {
      await fill();
      const wrong: Statement<unknown> = { sql, values: [], toItem: () => 1, isOptional: true };
      const error: object = engine === 'postgres' ? { code: 'INVALID_STATEMENT' } : { constructor: Error };
      await expect(store.write(renameNote({ ...MILK, text: 'Oat' }), wrong)).rejects.toMatchObject(error);
      await store.write(renameNote({ ...TEA, text: 'Rice' }));
      await expect(store.read(listNotes(TEA.number - 1n, 1))).resolves.toEqual([{ ...TEA, text: 'Rice' }]);
    },
  );

  test('COPY is not read', async () => {
    const copy: Statement<unknown> = { sql: 'COPY notes TO STDOUT', values: [], toItem: () => 1 };
    const error: object = engine === 'postgres' ? { code: 'INVALID_STATEMENT' } : { constructor: Error };
    await expect(store.read(copy)).rejects.toMatchObject(error);
  });

  test('reading does not wait for what writes', async () => {
    await fill();
    const release = await holdWrites(database);
    let isWritten = false;
    const writing = store.write(renameNote({ number: 1n, text: 'Oat' })).finally(() => (isWritten = true));
    const adding = store.add.notes({ number: 3n, text: 'Rice' });
    // One reading is enough: a machine that is busy needs seconds for many, after which writing is given up.
    await expect(store.read(listNotes(0n, 10))).resolves.toEqual([MILK, TEA]);
    expect(isWritten).toBe(false);
    await release();
    await Promise.all([writing, adding]);
    await expect(store.read(listNotes(0n, 10))).resolves.toHaveLength(3);
  });

  test('closing waits for what was asked before, and nothing is answered after it', async () => {
    await fill();
    const asked = [store.read(listNotes(1n, 10)), store.write(renameNote({ number: 1n, text: 'Oat' }))];
    const closing = store.close();
    const closed = store;
    store = await openStore(database.location, noteSchema);
    await closing;
    await expect(Promise.all(asked)).resolves.toEqual([[TEA], [{ number: 1n, text: 'Oat' }]]);
    await expect(closed.read(listNotes(0n, 10))).rejects.toThrow(StoreUnavailable);
    await expect(closed.write(renameNote(MILK))).rejects.toThrow(StoreUnavailable);
  });
});

/** Keeps the notes from being written, as another program does. @returns what ends it */
async function holdWrites({ location }: Database): Promise<() => Promise<void>> {
  if ('file' in location) {
    const other = new DatabaseSync(location.file);
    other.exec('BEGIN IMMEDIATE');
    return () =>
      Promise.try(() => {
        other.close();
      });
  }
  const other = new Client(location.servers[0]);
  await other.connect();
  await other.query('BEGIN; LOCK TABLE notes IN SHARE MODE');
  return () => other.end();
}

// Queries that a builder makes. It only compiles them: DummyDriver has no connection.

const BUILDERS = {
  sqlite: new Kysely<Items>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely<Items>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
};

const ODD_TEA: Note = { number: -1n, text: '? $1 tea' };

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
    await store.write(db.insertInto('notes').values([TEA, ODD_TEA]));
  });
  afterEach(async () => {
    await store.close();
  });

  const allNotes = db.selectFrom('notes').select(['number', 'text']).orderBy('number');

  test('reads rows with the types of their columns, integers as bigints', async () => {
    const notes: Note[] = await store.read(allNotes);
    expect(notes).toEqual([ODD_TEA, TEA]);
    const found: { double: bigint }[] = await store.read(
      db
        .selectFrom('notes')
        .select((one) => one('number', '+', one.ref('number')).as('double'))
        .where('text', '=', ODD_TEA.text)
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

  test('may stand beside statements of plain text, and in a transaction', async () => {
    const label = db.insertInto('labels').values({ note: 1n, label: 'shop' }).returning('label');
    await expect(store.write(removeLabels(5n), label)).resolves.toEqual([]);
    await expect(store.write(renameNote(ODD_TEA), label)).resolves.toEqual([{ label: 'shop' }]);
    const removed = await store.transaction(async (tx) => {
      const [tea] = await tx.read(allNotes.where('text', 'like', '?%'));
      return tx.write(
        db
          .deleteFrom('notes')
          .where('number', '=', tea?.number ?? 0n)
          .returningAll(),
      );
    });
    expect(removed).toEqual([ODD_TEA]);
  });
});
