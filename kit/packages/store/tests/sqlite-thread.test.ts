import { mkdtempDisposableSync, writeFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable, openStore, type Statement, type Store } from '../src';
import type { EngineStore } from '../src/queue';
import type { SqliteValue } from '../src/schema';
import { openSqlite } from '../src/sqlite/open-sqlite';
import { anySchema, noteSchema, type Items } from './databases';
import { createQuickReads, type QuickReads } from '../src/sqlite/quick-reads';

// A store whose thread has crashed.

const INSERT = { text: `INSERT INTO notes VALUES (1, 'Milk')`, values: [], isOptional: false };
const READ = { ...INSERT, text: 'SELECT number FROM notes' };

const run: Record<string, (store: EngineStore<SqliteValue>) => Promise<unknown>> = {
  add: (store) => store.add([0, [1n, 'Milk']], 0),
  write: (store) => store.write([INSERT], 0),
  transaction: (store) => store.transaction(() => Promise.resolve(true)),
  check: (store) => store.check(),
  read: (store) => store.read(READ, 0),
};

test.each([
  ['at load', `throw new Error('no memory');`],
  [
    'at the first question',
    `require('worker_threads').parentPort.on('message', () => { throw new Error('no memory'); });`,
  ],
])('a crash of the thread %s refuses what waits and what comes, and the store can be closed', async (_, code) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'thread-'));
  const threadFile = join(folder.path, 'thread.cjs');
  writeFileSync(threadFile, code);
  const warn = jest.fn();
  const store = await openSqlite(join(folder.path, 'notes.db'), anySchema, { warn }, threadFile);
  for (const time of ['waiting', 'coming']) {
    const results = Object.entries(run).map(async ([name, call]) => {
      const action = name === 'read' ? 'read' : 'written';
      const error = new StoreUnavailable(`the database cannot be ${action}: its thread ended: no memory`);
      await expect(call(store)).rejects.toStrictEqual(error);
      return time;
    });
    await expect(Promise.all(results)).resolves.toHaveLength(5);
  }
  expect(warn.mock.calls).toEqual([['the database cannot be written until a restart: its thread ended: no memory']]);
  // Each reading thread is new.
  writeFileSync(threadFile, `require(${JSON.stringify(resolve(__dirname, '../src/sqlite/thread.ts'))})`);
  await expect(store.read(READ, 0)).resolves.toEqual([]);
  await expect(store.check()).rejects.toThrow(StoreUnavailable);
  await store.close();
  await expect(store.check()).rejects.toThrow(StoreUnavailable);
});

describe('what is read on the main thread, without a message to another one', () => {
  let folder: string;
  let file: string;
  let store: Store<Items>;
  let quickReads: QuickReads;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quick-reads-'));
    file = join(folder, 'notes.db');
    store = await openStore({ file }, noteSchema);
    await store.add.notes({ number: 1n, text: 'Milk' });
    quickReads = createQuickReads(file, statSync(file));
  });
  afterEach(async () => {
    quickReads.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const toSql = (text: string, ...values: bigint[]) => ({ text, values, isOptional: false });
  const NOTES = toSql('SELECT number, text FROM notes WHERE number = $1', 1n);
  const QUICK = { rows: [], milliseconds: 0.5 };
  const COUNT = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) SELECT count(*) FROM n';

  test('a statement that took half a millisecond is run here the next time', () => {
    const first = quickReads.read(NOTES);
    quickReads.observe(NOTES, QUICK);
    expect([first, quickReads.read(NOTES)]).toStrictEqual([undefined, [{ number: 1n, text: 'Milk' }]]);
  });

  test('a column that another program adds is read, and one may have the name __proto__', () => {
    const all = toSql('SELECT * FROM notes');
    const named = toSql('SELECT text AS "__proto__" FROM notes');
    for (const sql of [all, named]) quickReads.observe(sql, QUICK);
    expect(quickReads.read(all)).toEqual([{ number: 1n, text: 'Milk' }]);
    using database = new DatabaseSync(file);
    database.exec('ALTER TABLE notes ADD COLUMN shop TEXT');
    expect(quickReads.read(all)).toEqual([{ number: 1n, text: 'Milk', shop: null }]);
    expect(Object.entries(quickReads.read(named)?.[0] ?? {})).toEqual([['__proto__', 'Milk']]);
  });

  test.each([
    ['took two milliseconds', { rows: [], milliseconds: 2 }],
    ['failed', { error: new Error('no such table') }],
  ])('a statement that %s in the thread stays there', (_, result) => {
    quickReads.observe(NOTES, result);
    expect(quickReads.read(NOTES)).toBeUndefined();
  });

  test('a statement that was slow here goes to the thread, and others stay', () => {
    const [quick, slow] = [toSql(COUNT, 1n), toSql(COUNT, 5_000_000n)];
    quickReads.observe(quick, QUICK);
    quickReads.observe(NOTES, QUICK);
    expect(quickReads.read(slow)).toHaveLength(1);
    // Other values were quick there.
    quickReads.observe(quick, QUICK);
    expect([quickReads.read(quick), quickReads.read(NOTES)?.length]).toEqual([undefined, 1]);
  });

  test('a statement whose process had no processor meanwhile is run here again', () => {
    const forever = new Int32Array(new SharedArrayBuffer(4));
    const entries = (): unknown => (Atomics.wait(forever, 0, 0, 100), [[0, 1n]]);
    const paused = { ...NOTES, values: Object.assign([1n], { entries }) };
    quickReads.observe(NOTES, QUICK);
    expect(quickReads.read(paused as never)).toHaveLength(1);
    quickReads.observe(NOTES, QUICK);
    expect(quickReads.read(NOTES)).toEqual([{ number: 1n, text: 'Milk' }]);
  });

  test('what cannot be read is left to the thread, which says why', () => {
    const wrong = toSql('SELECT wrong FROM notes');
    quickReads.observe(wrong, QUICK);
    quickReads.observe(NOTES, QUICK);
    expect(quickReads.read(wrong)).toBeUndefined();
    const two = toSql(`${NOTES.text}; DELETE FROM notes`, 1n);
    quickReads.observe(two, QUICK);
    expect(quickReads.read(two)).toBeUndefined();
    expect(quickReads.read(NOTES)).toHaveLength(1);
    rmSync(file);
    // The files are looked at every five milliseconds: until then, what was in them is read. A busy machine may make it slow.
    do quickReads.observe(NOTES, QUICK);
    while (quickReads.read(NOTES));
    const nowhere = createQuickReads(join(folder, 'none', 'notes.db'), statSync(folder));
    nowhere.observe(NOTES, QUICK);
    expect(nowhere.read(NOTES)).toBeUndefined();
    nowhere.close();
  });

  test('a value that SQLite would not read as it is is refused, at first and once the statement is quick', async () => {
    const read = (value: number): Promise<string[]> =>
      store.read({ sql: NOTES.text, values: [value], toItem: ({ text }: { text: string }) => text });
    await expect(read(NaN)).rejects.toThrow('SQLite would store null instead of NaN');
    await read(1);
    await read(1);
    await expect(read(NaN)).rejects.toThrow('SQLite would store null instead of NaN');
  });

  test('of statements whose texts have values in them, not all are kept', () => {
    quickReads.observe(NOTES, QUICK);
    for (let number = 0; number < 200; number++) quickReads.observe(toSql(`SELECT ${String(number)}`), QUICK);
    expect(quickReads.read(NOTES)).toBeUndefined();
  });

  test('a store reads what it read before without a turn of the event loop, and reads nothing once it is closed', async () => {
    const statement: Statement<string> = {
      sql: NOTES.text,
      values: [1n],
      toItem: ({ text }: { text: string }) => text,
    };
    for (let hasTurned = true; hasTurned;) {
      hasTurned = false;
      const turn = setImmediate(() => (hasTurned = true));
      expect(await store.read(statement)).toEqual(['Milk']);
      clearImmediate(turn);
    }
    await store.close();
    const closed = store.read(statement);
    await expect(closed).rejects.toThrow('the store is closed');
    store = await openStore({ file }, noteSchema);
  });
});
