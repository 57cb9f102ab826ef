import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../src';
import { watchLog } from '../src/sqlite/write-ahead-log';
import { prepareSchema } from '../src/sqlite/prepare-schema';
import { StoreUnavailable } from '../src/store';
import { anySchema, noteSchema, readNotes, serveFile, type Served } from './databases';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'guard-'));
  file = join(folder, 'notes.db');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const serve = (): Promise<Served> => serveFile(file);

const ROWS = [1n, 2n, 3n].map((number) => [0, [number, 'Milk']] as const);

/** The numbers in a file that is taken away from all that is beside it. */
function numbersIn(path: string): bigint[] {
  const alone = join(folder, 'alone.db');
  copyFileSync(path, alone);
  const numbers = readNotes(alone).map(({ number }) => number);
  for (const ending of ['', '-wal', '-shm']) rmSync(alone + ending, { force: true });
  return numbers;
}

function execute(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

const away = (): string => join(folder, 'away.db');

/** Does something to the files while they are open, after which nothing may be acknowledged. */
async function expectRefusal(act: () => void, reason: string): Promise<void> {
  const served = await serve();
  await expect(served.ask(ROWS)).resolves.toMatchObject({ outcomes: [] });
  act();
  const message = join(folder, reason);
  const outcomes = [0, 1].map((index) => ({ index, message, isUnavailable: true }));
  const warning = `nothing can be written until a restart, because ${message} while it was open`;
  await expect(served.ask(ROWS.slice(1))).resolves.toMatchObject({ outcomes, warning });
  await expect(served.ask('check')).resolves.toMatchObject({ outcomes: outcomes.slice(0, 1), warning: undefined });
  await served.close();
}

test.each<[string, string, (path: string) => void]>([
  ['', 'removed', rmSync],
  ['', 'truncated', truncateSync],
  ['-wal', 'truncated', truncateSync],
])('after notes.db%s is %s while it is open, no answer says that rows are kept', async (ending, what, act) => {
  await expectRefusal(() => {
    act(file + ending);
  }, `notes.db${ending} was ${what}`);
});

test.each(['removed', 'replaced'])(
  'a file that is renamed while it is open, and so %s, has all that was acknowledged',
  async (what) => {
    await expectRefusal(() => {
      renameSync(file, away());
      if (what === 'replaced') writeFileSync(file, '');
    }, `notes.db was ${what}`);
    expect(numbersIn(away())).toEqual([1n, 2n, 3n]);
  },
);

const replace = (path: string): void => {
  rmSync(path);
  writeFileSync(path, '');
};

test.each<[string, string, (path: string) => void]>([
  ['-wal', 'removed', rmSync],
  ['-wal', 'replaced', replace],
  ['-shm', 'removed', rmSync],
  ['-shm', 'truncated', truncateSync],
])('a file whose %s is %s while it is open has all that was acknowledged', async (ending, what, act) => {
  await expectRefusal(() => {
    act(file + ending);
  }, `notes.db${ending} was ${what}`);
  expect(numbersIn(file)).toEqual([1n, 2n, 3n]);
});

test('a log that is truncated after a checkpoint, when all of it is in the file', async () => {
  const served = await serve();
  await served.ask(ROWS);
  execute('PRAGMA wal_checkpoint(PASSIVE)');
  truncateSync(`${file}-wal`, 100);
  await expect(served.ask('check')).resolves.toMatchObject({ outcomes: [{ message: `${file}-wal was truncated` }] });
  await served.close();
  expect(numbersIn(file)).toEqual([1n, 2n, 3n]);
});

test('a log that another program emptied and began again is whole, although it is smaller', async () => {
  const served = await serve();
  for (const row of ROWS) await served.ask([row]);
  execute('PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM notes WHERE number = 1');
  await expect(served.ask('check')).resolves.toMatchObject({ outcomes: [] });
  await served.close();
  expect(numbersIn(file)).toEqual([2n, 3n]);
});

test('what is done to a link is found, and what is beside the file itself', async () => {
  mkdirSync(join(folder, 'real'));
  symlinkSync(join(folder, 'real', 'a.db'), file);
  const served = await serve();
  await expect(served.ask(ROWS)).resolves.toMatchObject({ outcomes: [] });
  rmSync(file);
  symlinkSync('elsewhere', file);
  await expect(served.ask('check')).resolves.toMatchObject({ outcomes: [{ message: `${file} was removed` }] });
  await served.close();
  expect(numbersIn(join(folder, 'real', 'a.db'))).toEqual([1n, 2n, 3n]);
});

test('a path that cannot be looked at any more', async () => {
  const served = await serve();
  renameSync(file, away());
  symlinkSync(file, file);
  const { outcomes } = await served.ask('check');
  expect(outcomes).toMatchObject([
    { message: expect.stringMatching(/notes\.db cannot be inspected: ELOOP/) as string },
  ]);
  await served.close();
});

test('a file that is renamed has all that was acknowledged, also when nothing is asked any more', async () => {
  const served = await serve();
  await served.ask(ROWS);
  renameSync(file, away());
  while (statSync(`${file}-wal`).size > 0) await sleep(20);
  expect(numbersIn(away())).toEqual([1n, 2n, 3n]);
  await served.close();
});

test('it has it as soon as the last program that reads an older state has ended that', async () => {
  const served = await serve();
  await served.ask(ROWS.slice(0, 1));
  const reader = new DatabaseSync(file);
  reader.exec('BEGIN; SELECT * FROM notes');
  await served.ask(ROWS);
  renameSync(file, away());
  await served.ask('check');
  expect(numbersIn(away())).not.toContain(2n);
  reader.close();
  await served.ask('check');
  expect(numbersIn(away())).toEqual([1n, 2n, 3n]);
  await served.close();
});

const VACUUM = 'DELETE FROM notes WHERE number > 10; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)';

test.each([
  ['a VACUUM', VACUUM, 200_000],
  ['a VACUUM and a commit', `${VACUUM}; INSERT INTO notes VALUES (2000, hex(zeroblob(50000)))`, 200_000],
  ['a checkpoint', 'PRAGMA wal_checkpoint(TRUNCATE)', Infinity],
  ['a checkpoint and a commit', `PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM notes WHERE number = 2`, Infinity],
])('files that %s of another program makes smaller are as good as before', async (_, sql, atMost) => {
  const served = await serve();
  const rows = Array.from({ length: 500 }, (__, number) => [0, [BigInt(number + 4), 'x'.repeat(1_000)]] as const);
  await served.ask(rows);
  execute('PRAGMA wal_checkpoint(TRUNCATE)');
  await served.ask(ROWS);
  execute(sql);
  await expect(served.ask('check')).resolves.toMatchObject({ outcomes: [] });
  expect(statSync(file).size).toBeLessThan(atMost);
  await expect(served.ask([[0, [9_999n, 'Tea']]])).resolves.toMatchObject({ outcomes: [] });
  await served.close();
  expect(numbersIn(file)).toContain(9_999n);
});

test('a file that SQLite makes smaller by itself is as good as before', async () => {
  execute('PRAGMA auto_vacuum = FULL; CREATE TABLE other (id); DROP TABLE other');
  const served = await serve();
  await served.ask([[0, [4n, 'x'.repeat(8_000_000)]]]);
  await served.ask([{ statements: [{ text: 'DELETE FROM notes', values: [], isOptional: false }] }]);
  await expect(served.ask([[0, [5n, 'x'.repeat(5_000_000)]]])).resolves.toMatchObject({ outcomes: [] });
  expect(statSync(file).size).toBeLessThan(8_000_000);
  await served.close();
});

test('the store tells why, in its check and in one warning', async () => {
  const warn = jest.fn();
  const observeLog = jest.fn();
  const store = await openStore({ file }, noteSchema, { warn, observeLog });
  await store.add.notes({ number: 1n, text: 'Milk' });
  expect(observeLog).toHaveBeenLastCalledWith(statSync(`${file}-wal`).size);
  renameSync(file, away());
  const reason = { constructor: StoreUnavailable, message: `the database cannot be written: ${file} was removed` };
  await expect(store.add.notes({ number: 2n, text: 'Milk' })).rejects.toMatchObject(reason);
  await expect(store.check()).rejects.toMatchObject(reason);
  await store.close();
  expect(warn.mock.calls).toEqual([
    [`nothing can be written until a restart, because ${file} was removed while it was open`],
  ]);
});

test('a program that reads without an end is told of, again when the log is twice as large', async () => {
  await prepareSchema(file, anySchema);
  const database = new DatabaseSync(file);
  let written = 0;
  const insert = (bytes: number): void => {
    database.prepare('INSERT INTO notes VALUES (?, ?)').run(++written, 'x'.repeat(bytes));
  };
  const find = watchLog(database, 1024 ** 2);
  const size = (): number => statSync(`${file}-wal`).size;
  insert(2_000_000);
  // A large transaction alone is nothing to tell.
  expect(find(size())).toBeUndefined();
  const reader = new DatabaseSync(file);
  reader.exec('BEGIN; SELECT * FROM notes');
  insert(2_000_000);
  insert(2_000_000);
  const warning = /^the write-ahead log has \d+ MB and keeps growing, because a program/;
  expect(find(size())).toMatch(warning);
  insert(500_000);
  expect(find(size())).toBeUndefined();
  insert(9_000_000);
  expect(find(size())).toMatch(warning);
  reader.exec('COMMIT');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(find(size())).toBeUndefined();
  reader.exec('BEGIN; SELECT * FROM notes');
  insert(2_000_000);
  expect(find(size())).toMatch(warning);
  reader.close();
  database.close();
});
