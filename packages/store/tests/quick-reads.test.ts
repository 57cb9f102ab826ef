import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Statement, type Store } from '../src';
import { createQuickReads, type QuickReads } from '../src/sqlite/quick-reads';
import { noteSchema, type Items } from './notes';

// What is read on the main thread, without a message to another one.

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
  expect([first, quickReads.read(NOTES)]).toEqual([undefined, [{ number: 1n, text: 'Milk' }]]);
});

test.each([
  ['took two milliseconds', { rows: [], milliseconds: 2 }],
  ['failed', { error: new Error('no such table') }],
])('a statement that %s in the thread stays there', (_, result) => {
  quickReads.observe(NOTES, result);
  expect(quickReads.read(NOTES)).toBeUndefined();
});

test('a statement that was slow here goes to the thread, and others stay', () => {
  const [quick, slow] = [toSql(COUNT, 1n), toSql(COUNT, 500_000n)];
  quickReads.observe(quick, QUICK);
  quickReads.observe(NOTES, QUICK);
  expect([quickReads.read(slow)?.length, quickReads.read(quick), quickReads.read(NOTES)?.length]).toEqual([
    1,
    undefined,
    1,
  ]);
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
  await expect(read(NaN)).rejects.toThrow('SQLite would keep null instead of NaN');
  await read(1);
  await read(1);
  await expect(read(NaN)).rejects.toThrow('SQLite would keep null instead of NaN');
});

test('of statements whose texts have values in them, not all are kept', () => {
  quickReads.observe(NOTES, QUICK);
  for (let number = 0; number < 200; number++) quickReads.observe(toSql(`SELECT ${String(number)}`), QUICK);
  expect(quickReads.read(NOTES)).toBeUndefined();
});

test('a store reads what it read before without a turn of the event loop, and reads nothing once it is closed', async () => {
  const statement: Statement<string> = { sql: NOTES.text, values: [1n], toItem: ({ text }: { text: string }) => text };
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
