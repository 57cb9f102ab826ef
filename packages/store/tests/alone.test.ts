import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createQueue, LIMITS, type Queue, type Results } from '../src/queue';
import { commitAlone } from '../src/sqlite/alone';
import type { Entry } from '../src/sqlite/commit';
import { connect, type Connection } from '../src/sqlite/connection';
import { prepareSchema, toInserts } from '../src/sqlite/prepare-schema';
import { toResults } from '../src/sqlite/results';
import { anySchema } from './notes';

// Two connections, as the store has them; the test waits for neither the disk nor the machine.
const PATIENT = { commit: Infinity, turn: Infinity };
let folder: string;
let file: string;
let beside: Connection;
let thread: Connection;
/** How many batches the thread would have had. */
let asked: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'alone-'));
  file = join(folder, 'notes.db');
  await prepareSchema(file, anySchema);
  const task = { file, identity: statSync(file), inserts: toInserts(anySchema) };
  thread = connect(task);
  beside = connect({ ...task, isBeside: true });
  asked = 0;
});
afterEach(() => {
  beside.close();
  thread.close();
  rmSync(folder, { recursive: true });
});

function open(patience = PATIENT): Queue<Entry> {
  const ask = (batch: readonly Entry[]): Promise<Results> => {
    asked++;
    return Promise.resolve(toResults(thread.answer(batch).outcomes, 'written'));
  };
  const queue: Queue<Entry> = createQueue<Entry>(
    commitAlone({ beside, ask, countWaiting: () => queue.countWaiting() }, patience),
    LIMITS,
  );
  return queue;
}

const note = (number: number): Entry => [0, [BigInt(number), `note ${String(number)}`]];

async function addOneByOne(queue: Queue<Entry>, from: number, count: number): Promise<void> {
  for (let number = from; number < from + count; number++) await queue.add(note(number), 8);
}

function countRows(): number {
  const database = new DatabaseSync(file);
  const count = Number(database.prepare('SELECT count(*) AS count FROM notes').get()?.['count']);
  database.close();
  return count;
}

test('one after the other is committed on the main thread, and every 256th where the log is emptied', async () => {
  await addOneByOne(open(), 0, 8 + 3 * 256);
  expect([asked, countRows()]).toEqual([8 + 3, 8 + 3 * 256]);
});

test('the log stays small', async () => {
  await addOneByOne(open(), 0, 1_500);
  expect(statSync(`${file}-wal`).size).toBeLessThan(8 * 1024 ** 2);
});

test('those that come together share the commits of the thread', async () => {
  const queue = open();
  await addOneByOne(queue, 0, 20);
  const before = asked;
  for (let round = 1; round <= 10; round++) {
    await Promise.all(Array.from({ length: 50 }, (_, number) => queue.add(note(1_000 * round + number), 8)));
  }
  expect([asked - before, countRows()]).toEqual([20, 520]);
});

test.each([
  ['a slow disk', { ...PATIENT, commit: 0 }],
  ['a busy event loop', { ...PATIENT, turn: -1 }],
])('with %s, all is committed by the thread', async (_, patience) => {
  await addOneByOne(open(patience), 0, 30);
  expect([asked, countRows()]).toEqual([30, 30]);
});

test('statements are the thread’s', async () => {
  const queue = open();
  await addOneByOne(queue, 0, 20);
  const before = asked;
  const text = 'UPDATE notes SET text = $1 WHERE number = $2';
  await queue.add({ statements: [{ text, values: ['changed', 1n], isOptional: false }] }, 8);
  expect(asked - before).toBe(1);
});

test('a lock of another process is waited for by the thread', async () => {
  const queue = open();
  await addOneByOne(queue, 0, 20);
  const before = asked;
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  // What the thread does meanwhile is its own matter.
  const release = jest.spyOn(thread, 'answer').mockImplementationOnce((question) => {
    other.exec('COMMIT');
    other.close();
    release.mockRestore();
    return thread.answer(question);
  });
  await queue.add(note(20), 8);
  expect([asked - before, countRows()]).toEqual([1, 21]);
});

test('what is wrong with a row is told at once', async () => {
  const queue = open();
  await addOneByOne(queue, 0, 20);
  const before = asked;
  await expect(queue.add([0, [1n, new Uint8Array(1)]], 8)).rejects.toThrow('cannot store BLOB value in TEXT column');
  expect([asked - before, countRows()]).toEqual([0, 20]);
});

test('files that were replaced are the thread’s to tell', async () => {
  const queue = open();
  await addOneByOne(queue, 0, 20);
  rmSync(file);
  await prepareSchema(file, anySchema);
  await expect(queue.add(note(20), 8)).rejects.toThrow(/was (?:replaced|removed)/);
  expect(countRows()).toBe(0);
});
