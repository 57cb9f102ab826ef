import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MessageChannel, Worker } from 'node:worker_threads';
import { openStore, StoreUnavailable, type Statement, type Store, type StoreObserver } from '../src';
import { createCommit, openDatabase } from '../src/sqlite/commit';
import { prepareSchema, toInserts } from '../src/sqlite/prepare-schema';
import { serveDatabase } from '../src/sqlite/thread';
import type { Sql } from '../src/statement';
import { anySchema, noteSchema, readNotes, serveFile, type Items } from './databases';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  file = join(folder, 'notes.db');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const INSERTS = toInserts(anySchema);

function open(observer?: StoreObserver): Promise<Store<Items>> {
  return openStore({ file }, noteSchema, observer);
}

const toStatement = (text: string, ...values: Sql['values']): Sql => ({ text, values, isOptional: false });

/** Makes the file. */
async function make(): Promise<void> {
  await (await open()).close();
}

async function openPrepared(): Promise<DatabaseSync> {
  await prepareSchema(file, anySchema);
  return openDatabase(file);
}

function execute(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

function makeFile(text = ''): string {
  writeFileSync(file, text);
  return file;
}

test('the folder is made when missing, for its owner alone', async () => {
  file = join(folder, 'a', 'b', 'notes.db');
  await make();
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
});

test('new files are their owner’s only, and a row is in the log on disk when it is acknowledged', async () => {
  const warn = jest.fn();
  const store = await open({ warn });
  await store.add.notes({ number: 1n, text: 'a-text-to-look-for' });
  for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${file}-wal`, 'latin1')).toContain('a-text-to-look-for');
  await store.close();
  expect(warn).not.toHaveBeenCalled();
});

test.each([
  [0o644, 0o755, true],
  [0o602, 0o711, true],
  [0o640, 0o755, false],
  [0o666, 0o770, false],
])('a file of mode %o in a folder of mode %o keeps it; a warning: %p', async (mode, folderMode, isWarned) => {
  await make();
  chmodSync(file, mode);
  chmodSync(folder, folderMode);
  const warn = jest.fn();
  await (await open({ warn })).close();
  expect(statSync(file).mode & 0o777).toBe(mode);
  expect(warn.mock.calls).toEqual(isWarned ? [[`other users of this machine can read or write ${file}`]] : []);
});

test('every commit of SQLite is synced to the disk', async () => {
  const database = await openPrepared();
  expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  database.close();
});

test.each([
  ['a newer version', `PRAGMA user_version = 2`, 'it was written by a newer version (its format is 2)'],
  ['an unknown version', `PRAGMA user_version = 0`, 'it was written by another version (its format is 0)'],
  ['another application', 'PRAGMA application_id = 1', 'it belongs to another application'],
  ['ours without its table', 'DROP TABLE notes', 'no such table: notes'],
  ['ours without its index', 'DROP INDEX notes_once', 'ON CONFLICT clause does not match'],
  [
    'ours with a view',
    'DROP TABLE notes; CREATE TABLE kept (number, text); CREATE VIEW Notes AS SELECT * FROM kept',
    'notes is a view, which might not keep acknowledged rows',
  ],
  [
    'ours with a trigger',
    'CREATE TRIGGER "keep none" AFTER INSERT ON NOTES BEGIN DELETE FROM notes; END',
    'the trigger "keep none" might change or drop acknowledged rows',
  ],
])('a file of %s is refused and left as it was', async (_, sql, message) => {
  await make();
  execute(sql);
  const before = readFileSync(file);
  await expect(open()).rejects.toThrow(`the database ${file} cannot be used: ${message}`);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a database that has other tables is refused', async () => {
  execute('CREATE TABLE notes (number TEXT)');
  await expect(open()).rejects.toThrow('it belongs to another application');
});

test.each([
  ['no database', () => makeFile('x'.repeat(5000)), 'file is not a database'],
  ['a folder', () => (file = folder), 'unable to open database file'],
  ['below a file', () => (file = join(makeFile(), 'notes.db')), 'unable to open database file'],
  ['far below a file', () => (file = join(makeFile(), 'a', 'notes.db')), 'ENOTDIR'],
  ['in a folder that cannot be made', () => (file = '/proc/a/b/notes.db'), 'ENOENT'],
  ['where no file can be made', () => (file = '/proc/notes.db'), 'unable to open database file'],
])('a file that is %s is refused in one line that names it', async (_, prepare, message) => {
  prepare();
  await expect(open()).rejects.toThrow(StoreUnavailable);
  await expect(open()).rejects.toThrow(`the database ${file} cannot be used: `);
  await expect(open()).rejects.toThrow(message);
});

test('nothing is written while another process holds the file, the check says so, and then all is', async () => {
  const store = await open();
  const served = await serveFile(file);
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const milk = { number: 1n, text: 'Milk' };
  const held = { constructor: StoreUnavailable, message: 'the database cannot be written: database is locked' };
  await expect(store.add.notes(milk)).rejects.toMatchObject(held);
  await expect(served.ask('check')).resolves.toMatchObject({ outcomes: [{ message: 'database is locked' }] });
  other.close();
  await store.add.notes(milk);
  await Promise.all([store.close(), served.close()]);
});

describe('a commit', () => {
  const long = 'x'.repeat(100_000);

  test('keeps nothing of a batch while the disk is full, and all of it when there is room', async () => {
    const database = await openPrepared();
    const commit = createCommit(database, INSERTS);
    database.exec('PRAGMA max_page_count = 20');
    const batch = [
      [0, [1n, 'Milk']],
      [0, [2n, long]],
    ] as const;
    const failure = { message: 'database or disk is full', isUnavailable: true };
    expect(commit(batch)).toEqual([
      { index: 0, ...failure },
      { index: 1, ...failure },
    ]);
    expect(commit([[0, [1n, 'Milk']]])).toEqual([]);
    database.exec('PRAGMA max_page_count = 1000');
    expect(commit(batch)).toEqual([]);
    database.close();
    expect(readNotes(file)).toHaveLength(2);
  });

  test('does the statements of an entry all or none, beside rows', async () => {
    const database = await openPrepared();
    const commit = createCommit(database, INSERTS);
    const insert = (number: bigint, text: string | null): Sql =>
      toStatement('INSERT INTO notes VALUES ($1, $2)', number, text);
    const remove = (number: bigint, isOptional = false): Sql => ({
      ...toStatement('DELETE FROM notes WHERE number = $1 RETURNING text', number),
      isOptional,
    });
    const outcomes = commit([
      [0, [1n, 'Milk']],
      { statements: [insert(2n, 'Tea'), remove(1n)] },
      { statements: [insert(3n, 'Rice'), remove(9n)] },
      { statements: [insert(4n, 'Oil'), insert(5n, null)] },
      { statements: [remove(9n, true), insert(6n, 'Salt')] },
      [0, [7n, 'Oat']],
    ]);
    const message = 'NOT NULL constraint failed: notes.text';
    expect(outcomes).toEqual([
      { index: 1, rows: [{ text: 'Milk' }] },
      { index: 2, rows: [] },
      { index: 3, message, isUnavailable: false },
      { index: 4, rows: [{}] },
    ]);
    database.close();
    expect(readNotes(file).map(({ number }) => number)).toEqual([2n, 6n, 7n]);
  });

  test('fails as a whole when a statement undoes it all', async () => {
    const database = await openPrepared();
    const commit = createCommit(database, INSERTS);
    const undo = toStatement('INSERT OR ROLLBACK INTO notes VALUES (1, $1)', null);
    expect(commit([[0, [1n, 'Milk']], { statements: [undo] }])).toMatchObject([{ index: 0 }, { index: 1 }]);
    expect(commit([[0, [2n, 'Tea']]])).toEqual([]);
    database.close();
    expect(readNotes(file)).toEqual([{ number: 2n, text: 'Tea' }]);
  });
});

test('fails as a whole when it cannot be ended, and the next one is another', async () => {
  const database = await openPrepared();
  database.exec(`CREATE TABLE pots (id INTEGER REFERENCES plots DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE plots (id INTEGER PRIMARY KEY);
    CREATE TRIGGER pot AFTER INSERT ON notes WHEN NEW.number = 2 BEGIN INSERT INTO pots VALUES (1); END`);
  const commit = createCommit(database, INSERTS);
  const rows = [1n, 2n].map((number) => [0, [number, 'Milk']] as const);
  const failure = { message: 'FOREIGN KEY constraint failed', isUnavailable: false };
  expect(commit(rows)).toEqual([
    { index: 0, ...failure },
    { index: 1, ...failure },
  ]);
  expect(commit([[0, [3n, 'Milk']]])).toEqual([]);
  database.close();
  expect(readNotes(file).map(({ number }) => number)).toEqual([3n]);
});

describe('a database that is read by another program when its log is to be changed', () => {
  let reader: DatabaseSync;
  beforeEach(async () => {
    await make();
    execute('PRAGMA journal_mode = DELETE');
    reader = new DatabaseSync(file);
    reader.exec('BEGIN; SELECT * FROM notes');
  });
  afterEach(() => {
    reader.close();
  });

  test('is waited for', async () => {
    reader.close();
    const other = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
      const database = new (require('node:sqlite').DatabaseSync)(workerData);
      database.exec('BEGIN; SELECT * FROM notes');
      parentPort.postMessage('read');
      setTimeout(() => database.exec('COMMIT'), 100);`,
      { eval: true, workerData: file },
    );
    const ended = once(other, 'exit');
    await once(other, 'message');
    await make();
    await ended;
    reader = await openPrepared();
    expect(reader.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });

  test('is not waited for without end', async () => {
    await expect(open()).rejects.toThrow(`the database ${file} cannot be used: database is locked`);
  });
});

test('a thread without inserts reads, and changes nothing', async () => {
  await make();
  const { port1, port2 } = new MessageChannel();
  serveDatabase(port2, { file, identity: statSync(file) });
  const ask = (text: string, ...values: bigint[]): void => {
    port1.postMessage([{ statements: [{ text, values, isOptional: false }] }]);
  };
  ask('SELECT $2 AS second, $1 AS first', 1n, 2n);
  await expect(once(port1, 'message')).resolves.toMatchObject([
    { outcomes: [{ index: 0, rows: [{ second: 2n, first: 1n }] }] },
  ]);
  for (let number = 0; number < 250; number++) {
    ask(`SELECT ${String(number)} AS number`);
    const rows = [{ number: BigInt(number) }];
    await expect(once(port1, 'message')).resolves.toMatchObject([{ outcomes: [{ rows }] }]);
  }
  ask('SELECT none FROM notes');
  const failure = { index: 0, message: 'no such column: none', isUnavailable: false };
  await expect(once(port1, 'message')).resolves.toMatchObject([{ outcomes: [failure] }]);
  ask(`INSERT INTO notes VALUES (1, 'Milk')`);
  const refusal = { index: 0, message: 'attempt to write a readonly database' };
  await expect(once(port1, 'message')).resolves.toMatchObject([{ outcomes: [refusal] }]);
  rmSync(file);
  ask('SELECT 1');
  const message = `${file} was removed`;
  await expect(once(port1, 'message')).resolves.toMatchObject([{ outcomes: [{ message, isUnavailable: true }] }]);
  port1.postMessage('close');
  await once(port1, 'close');
});

test('another file at its path is not read, also if it is there before the first statement', async () => {
  const count: Statement<unknown> = { sql: 'SELECT count(*) AS count FROM notes', values: [], toItem: (row) => row };
  const store = await open();
  await store.add.notes({ number: 1n, text: 'Milk' });
  renameSync(file, join(folder, 'away.db'));
  const other = await open();
  await expect(other.read(count)).resolves.toEqual([{ count: 0n }]);
  await expect(store.read(count)).rejects.toMatchObject({
    constructor: StoreUnavailable,
    message: `the database cannot be read: ${file} was replaced`,
  });
  await Promise.all([store.close(), other.close()]);
});

test('a thread that opens the store and ends leaves it locked against a program that wants it alone', async () => {
  const store = await open();
  await store.add.notes({ number: 1n, text: 'Milk' });
  const code = `const { file, schema } = require('node:worker_threads').workerData;
    require(${JSON.stringify(resolve(__dirname, '../src/sqlite/prepare-schema.ts'))}).prepareSchema(file, schema);`;
  // Without the functions, which no thread can be given.
  const schema: unknown = JSON.parse(JSON.stringify(anySchema));
  const thread = new Worker(code, { eval: true, workerData: { file, schema } });
  await expect(once(thread, 'exit')).resolves.toEqual([0]);
  const program = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE')`;
  expect(String(spawnSync(process.execPath, ['--eval', program, file]).stderr)).toContain('database is locked');
  await store.add.notes({ number: 2n, text: 'Tea' });
  await store.close();
});
