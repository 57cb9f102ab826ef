import { openStore, StoreUnavailable, type Commit, describeLocation, parseLocation, type StoreLocation } from '../src';
import type { StoreCounts } from '../src/store';
import { useDatabases, type Database, noteSchema, type Note } from './databases';
import { resolve } from 'node:path';

// What every store has to do, wherever it keeps its rows.

const databases = useDatabases();

// It cannot be written as JSON.
const CYCLE: { self?: unknown } = {};
CYCLE.self = CYCLE;

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  let database: Database;
  beforeEach(async () => {
    database = await databases.create(engine);
  });

  async function readNotes(): Promise<Note[]> {
    const rows = await database.read('SELECT number, text FROM notes ORDER BY number');
    return rows.map(({ number, text }) => ({ number: BigInt(String(number)), text: String(text) }));
  }

  /** Adds notes at once, and tells what became of each. */
  async function addAll(notes: readonly Note[]): Promise<PromiseSettledResult<void>[]> {
    const store = await openStore(database.location, noteSchema);
    const results = await Promise.allSettled(notes.map((note) => store.add.notes(note)));
    await store.close();
    return results;
  }

  test('an item is stored when it is acknowledged, and after a restart', async () => {
    const store = await openStore(database.location, noteSchema);
    await store.add.notes({ number: 1n, text: 'Milk' });
    await expect(readNotes()).resolves.toEqual([{ number: 1n, text: 'Milk' }]);
    await store.close();
    await addAll([{ number: 2n, text: 'Tea' }]);
    await expect(readNotes()).resolves.toHaveLength(2);
  });

  test('a key that is there is stored once, in one batch, in later ones and after a restart', async () => {
    const milk = { number: 1n, text: 'Milk' };
    const tea = { number: 2n, text: 'Tea' };
    for (let time = 0; time < 2; time++) await addAll(Array.from({ length: 20 }, () => [milk, tea]).flat());
    await expect(readNotes()).resolves.toEqual([milk, tea]);
  });

  test('integers of the whole int64 range and any text are kept as they are', async () => {
    const numbers = [-(2n ** 63n), -(2n ** 53n) - 1n, -1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    const texts = [
      '',
      `'; DROP TABLE notes; -- "\\' $1 {a,b} \\x41 NULL`,
      '\u0001\t\r\n\u001f\u007f\u2028',
      '🌱𐀀\u{10ffff}\ufffd\ufeff',
      '\u00e9 e\u0301',
      'é🌱x'.repeat(300_000),
    ];
    const notes = numbers.map((number, index) => ({ number, text: String(texts[index]) }));
    await addAll(notes);
    await expect(readNotes()).resolves.toEqual(notes);
  });

  test.each(['throw', 'reject'])(
    'observers that %s are told to warn once, and what is added is stored',
    async (how) => {
      const fail = (): never => {
        if (how === 'reject') return Promise.reject(new Error('a bug of the team')) as never;
        throw new Error('a bug of the team');
      };
      const warnings: string[] = [];
      const warn = (message: string): never => {
        warnings.push(message);
        return fail();
      };
      const store = await openStore(database.location, noteSchema, { observeCommit: fail, observeLog: fail, warn });
      for (const number of [1n, 2n, 3n]) await store.add.notes({ number, text: 'Milk' });
      await store.close();
      await expect(readNotes()).resolves.toHaveLength(3);
      const told = warnings.filter((warning) => /^observe.*Error: a bug of the team/.test(warning));
      expect(told).toHaveLength(engine === 'sqlite' ? 2 : 1);
    },
  );

  test('the rows of two tables share a commit', async () => {
    const commits: Commit[] = [];
    const store = await openStore(database.location, noteSchema, { observeCommit: (commit) => commits.push(commit) });
    await Promise.all(
      [1n, 2n, 3n].flatMap((number) => [
        store.add.labels({ note: number, label: 'shop' }),
        store.add.notes({ number, text: 'Milk' }),
        store.add.labels({ note: number, label: 'home' }),
      ]),
    );
    await store.close();
    // Those that come first begin alone.
    expect(commits.reduce((sum, { size }) => sum + size, 0)).toBe(9);
    expect(Math.max(...commits.map(({ size }) => size))).toBeGreaterThanOrEqual(7);
    await expect(readNotes()).resolves.toHaveLength(3);
    await expect(database.read('SELECT note, label FROM labels')).resolves.toHaveLength(6);
  });

  test('of a batch with items that cannot be stored, the others are, in every table', async () => {
    await addAll([]);
    await database.refuse('Salt');
    const store = await openStore(database.location, noteSchema);
    const texts = ['Milk', 'Salt', 'Tea', 'Salt', 'Rice', 'Oil', 'Salt'];
    const results = await Promise.allSettled(
      texts.flatMap((text, index) => [
        store.add.notes({ number: BigInt(index), text }),
        store.add.labels({ note: BigInt(index), label: text }),
      ]),
    );
    await store.close();
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual(
      texts.flatMap((text) => [text !== 'Salt', true]),
    );
    expect((results[2] as PromiseRejectedResult).reason).not.toBeInstanceOf(StoreUnavailable);
    expect((await readNotes()).map(({ text }) => text)).toEqual(['Milk', 'Tea', 'Rice', 'Oil']);
    await expect(database.read('SELECT label FROM labels')).resolves.toHaveLength(texts.length);
  });

  test.each([
    ['a\ud800'],
    [Symbol('text')],
    [(): string => 'text'],
    [engine === 'sqlite' ? NaN : '\0'],
    [undefined],
    [new Date(NaN)],
    [CYCLE],
    [['Salt']],
  ])(
    'a value that the database would not keep as it is, %p, is refused, and the others of its batch are stored',
    async (value) => {
      const results = await addAll(
        ['Milk', value as string, 'Tea', 'Rice', value as string].map((text, number) => ({
          number: BigInt(number),
          text,
        })),
      );
      expect(results.map(({ status }) => status)).toEqual(
        [true, false, true, true, false].map((isKept) => (isKept ? 'fulfilled' : 'rejected')),
      );
      expect((results[1] as PromiseRejectedResult).reason).not.toBeInstanceOf(StoreUnavailable);
      expect((await readNotes()).map(({ text }) => text)).toEqual(['Milk', 'Tea', 'Rice']);
    },
  );

  test('its check, and what waits', async () => {
    let count = (): StoreCounts => ({ rows: -1, reads: -1 });
    const watch = (given: () => StoreCounts): unknown => (count = given);
    const store = await openStore(database.location, noteSchema, { watch });
    await expect(store.check()).resolves.toBeUndefined();
    const added = [1n, 2n, 3n, 4n, 5n].map((number) => store.add.notes({ number, text: 'Milk' }));
    const query = { sql: 'SELECT number FROM notes LIMIT 1', values: [], toItem: String };
    const read = Array.from({ length: 9 }, () => store.read(query));
    expect([count().rows > 0, count().reads > 0]).toEqual([true, true]);
    await expect(store.check()).resolves.toBeUndefined();
    await Promise.all([...added, ...read]);
    expect(count()).toMatchObject({ rows: 0, reads: 0 });
    await store.transaction(async (tx) => {
      await tx.read(query);
      const [write, reads] = [1, 0].map((used) => [{ used, idle: expect.any(Number) as number, waiting: 0 }]);
      expect(count().pools).toEqual(engine === 'sqlite' ? undefined : { write, read: reads });
    });
    await expect(readNotes()).resolves.toHaveLength(5);
    await store.close();
  });

  test('the observer is told of every commit', async () => {
    await addAll([]);
    await database.refuse('Salt');
    const commits: Commit[] = [];
    const store = await openStore(database.location, noteSchema, { observeCommit: (commit) => commits.push(commit) });
    await Promise.all([1n, 2n, 3n].map((number) => store.add.notes({ number, text: 'Milk' })));
    await expect(store.add.notes({ number: 4n, text: 'Salt' })).rejects.toThrow();
    await store.close();
    expect(commits.reduce((sum, { size }) => sum + size, 0)).toBe(4);
    expect(commits.map(({ isKept }) => isKept)).toEqual([...commits.slice(1).map(() => true), false]);
    for (const { milliseconds } of commits) expect(milliseconds).toBeGreaterThan(0);
  });

  test('no other index makes another key the same', async () => {
    await addAll([]);
    await database.execute('CREATE UNIQUE INDEX one_text ON notes (text)');
    const milk = { number: 1n, text: 'Milk' };
    const results = await addAll([milk, milk, { number: 2n, text: 'Milk' }]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect((results[2] as PromiseRejectedResult).reason).not.toBeInstanceOf(StoreUnavailable);
  });

  test('several stores on one database keep what overlaps once, and never wait for each other in a circle', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(database.location, noteSchema)));
    const numbers = Array.from({ length: 200 }, (_, number) => BigInt(number));
    const added = stores.flatMap(({ add }, index) =>
      (index % 2 === 0 ? numbers : numbers.toReversed()).flatMap((number) => [
        add.notes({ number, text: 'Milk' }),
        add.labels({ note: number, label: 'shop' }),
      ]),
    );
    await Promise.all(added);
    await Promise.all(stores.map((store) => store.close()));
    expect((await readNotes()).map(({ number }) => number)).toEqual(numbers);
    await expect(database.read('SELECT label FROM labels')).resolves.toHaveLength(numbers.length);
  });
});

test.each<[string, StoreLocation]>([
  ['file:a.db', { file: resolve('a.db') }],
  ['file:///var/a%20b.db', { file: '/var/a b.db' }],
  ['file::memory:', { file: resolve(':memory:') }],
  ['postgres://a:b@c@d/e', { servers: ['postgres://a:b@c@d/e'] }],
  [
    'postgresql://u:p%40@a:1,[::1]:2,c/d?sslmode=verify-full',
    { servers: ['a:1', '[::1]:2', 'c'].map((host) => `postgresql://u:p%40@${host}/d?sslmode=verify-full`) },
  ],
])('%s', (text, location) => {
  expect(parseLocation(text)).toEqual(location);
});

test.each([
  ['a.db', 'must be file: and a path'],
  ['postgres://a:sec ret@a:x/b', 'must be'],
  ['postgres://a,b:99999/c', 'must be'],
  ['postgres://a:sec@ret/b@c/d', 'must write / ?'],
  ['postgres://a:sec@ret?b@c/d', 'must write / ?'],
  ['postgres://a:sec@ret#b@c/d', 'must write / ?'],
  ['x postgres://a/b', 'must be'],
  ['file:', 'must be'],
  ['file:data/', 'must be'],
  ['file:a.db?mode=ro', 'must be'],
  ['file://server/a.db', ''],
])('refused: %s', (text, message) => {
  expect(() => parseLocation(text)).toThrow(message);
  expect(() => parseLocation(text)).not.toThrow(/sec|ret/);
});

test('people are told where it is, and no password', () => {
  expect(describeLocation({ file: '/var/a.db' })).toBe('/var/a.db');
  expect(describeLocation({ servers: ['postgresql://u:secret@a:1/d', 'postgres://u:secret@[::1]/d?x=y'] })).toBe(
    'postgres://a:1/d,postgres://[::1]/d',
  );
});
