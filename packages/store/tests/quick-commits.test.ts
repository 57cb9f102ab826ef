import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore, StoreUnavailable, type Store } from '../src';
import { openSqlite } from '../src/sqlite/open-sqlite';
import { toInserts } from '../src/sqlite/prepare-schema';
import { createQuickCommits, type QuickCommits } from '../src/sqlite/quick-commits';
import { anySchema, noteSchema, readNotes, type Items } from './databases';

// What is committed on the main thread, without a message to another one.

let folder: string;
let file: string;
let store: Store<Items>;
let quickCommits: QuickCommits;
const warn = jest.fn();
const create = (): QuickCommits =>
  createQuickCommits({ file, identity: statSync(file), inserts: toInserts(anySchema) });
beforeEach(async () => {
  warn.mockClear();
  folder = mkdtempSync(join(tmpdir(), 'quick-commits-'));
  file = join(folder, 'notes.db');
  store = await openStore({ file }, noteSchema, { warn });
  quickCommits = create();
});
afterEach(async () => {
  quickCommits.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const QUICK = { outcomes: [], logBytes: 0, milliseconds: 1 };
const ROWS = [[0, [1n, 'Milk']]];

/** Commits rows here, which a busy machine may make slow at first. */
function commitHere(): void {
  for (;;) {
    quickCommits = create();
    quickCommits.observe(QUICK);
    if (quickCommits.run(ROWS)?.milliseconds !== undefined && quickCommits.run(ROWS)) return;
    quickCommits.close();
  }
}

test('rows are committed here once the thread was quick, and until it is slow', () => {
  expect(quickCommits.run(ROWS)).toBeUndefined();
  quickCommits.observe(QUICK);
  expect(quickCommits.run(ROWS)).toMatchObject({ outcomes: [], warning: undefined });
  expect(readNotes(file)).toEqual([{ number: 1n, text: 'Milk' }]);
  quickCommits.observe({ ...QUICK, milliseconds: 1_000 });
  quickCommits.observe(QUICK);
  expect(quickCommits.run(ROWS)).toBeUndefined();
});

test('statements are for the thread, and so is one of 64 batches, which empties the log', () => {
  commitHere();
  expect(quickCommits.run([...ROWS, { statements: [] }])).toBeUndefined();
  const answers = Array.from({ length: 64 }, () => quickCommits.run(ROWS));
  expect(answers).toContain(undefined);
});

test('while another process writes, rows are for the thread, which waits', () => {
  commitHere();
  using other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  expect(quickCommits.run(ROWS)).toBeUndefined();
});

test('when the file was renamed, nothing is committed any more, here or in the thread', () => {
  commitHere();
  renameSync(file, join(folder, 'away.db'));
  const outcomes = [{ index: 0, message: `${file} was removed`, isUnavailable: true }];
  for (const batch of [ROWS, ROWS, [() => true]]) expect(quickCommits.run(batch)).toMatchObject({ outcomes });
  expect(readNotes(join(folder, 'away.db'))).toHaveLength(1);
  const later = createQuickCommits({ file, identity: statSync(folder) });
  later.observe(QUICK);
  expect([later.run(ROWS), existsSync(file)]).toEqual([undefined, false]);
});

/** Whether rows are stored without a turn of the event loop. */
async function isStoredHere(text: string): Promise<boolean> {
  let hasTurned = false;
  const adding = store.add.notes({ number: 2n, text });
  const turn = setImmediate(() => (hasTurned = true));
  await adding;
  clearImmediate(turn);
  return !hasTurned;
}

test('a disk that becomes slow stops the event loop once', async () => {
  while (!(await isStoredHere('Milk')));
  // Its commit takes at least some 20 ms, and then the thread commits for 2 s.
  await isStoredHere('Milk'.repeat(5_000_000));
  await expect(isStoredHere('Eggs')).resolves.toBe(false);
  await expect(isStoredHere('Eggs and milk')).resolves.toBe(false);
});

test('when the thread has crashed, nothing is committed here either', async () => {
  const threadFile = join(folder, 'thread.cjs');
  const crash = `require('worker_threads').parentPort.on('message', (question) => { if (question === 'check') throw 'no'; })`;
  const path = JSON.stringify(resolve(__dirname, '../src/sqlite/thread.ts'));
  writeFileSync(threadFile, `${crash}; require(${path})`);
  const crashing = await openSqlite(file, anySchema, {}, threadFile);
  const add = (): Promise<void> => crashing.add([0, [1n, 'Milk']], 0);
  for (let commits = 0; commits < 10; commits++) await add();
  await crashing.check();
  while (
    await add().then(
      () => true,
      () => false,
    )
  );
  for (let commits = 0; commits < 10; commits++) await expect(add()).rejects.toThrow(StoreUnavailable);
  await crashing.close();
});

test('a store whose file was removed warns once', async () => {
  while (!(await isStoredHere('Milk')));
  rmSync(file);
  await expect(store.add.notes({ number: 3n, text: 'Eggs' })).rejects.toThrow(StoreUnavailable);
  await expect(store.transaction(() => Promise.resolve())).rejects.toThrow('notes.db was removed');
  await expect(store.check()).rejects.toThrow('notes.db was removed');
  expect(warn.mock.calls).toEqual([
    [`nothing can be written until a restart, because ${file} was removed while it was open`],
  ]);
});
