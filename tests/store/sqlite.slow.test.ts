import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MessageChannel, Worker } from 'node:worker_threads';
import request from 'supertest';
import { StoreUnavailable } from '../../src/store/plant-store';
import { openSqliteStore } from '../../src/store/sqlite';
import { prepareSchema } from '../../src/store/sqlite-schema';
import { createCommit, openDatabase } from '../../src/store/sqlite-commit';
import { serveDatabase } from '../../src/store/sqlite-thread';
import { fetchPatiently } from '../fetch-patiently';
import { postPlant } from '../post-plant';
import { readRows, startApp } from '../start-app';
import { startProcess } from '../start-process';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  file = join(folder, 'plants.db');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function openPrepared(): DatabaseSync {
  prepareSchema(file);
  return openDatabase(file);
}

function execute(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

test('the folder is made when missing, for its owner alone', async () => {
  file = join(folder, 'a', 'b', 'plants.db');
  await openSqliteStore(file).close();
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
});

test('new files are their owner’s only', async () => {
  const warnings: string[] = [];
  const store = openSqliteStore(file, { warn: (message) => warnings.push(message) });
  await store.add({ id: 1n, name: 'Rose' });
  for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(path).mode & 0o777).toBe(0o600);
  await store.close();
  expect(warnings).toEqual([]);
});

test.each([
  [0o644, 0o755, true],
  [0o602, 0o711, true],
  [0o640, 0o755, false],
  [0o666, 0o770, false],
])('a file of mode %o in a folder of mode %o keeps it; a warning: %p', async (mode, folderMode, isWarned) => {
  await openSqliteStore(file).close();
  chmodSync(file, mode);
  chmodSync(folder, folderMode);
  const warn = jest.fn();
  await openSqliteStore(file, { warn }).close();
  expect(statSync(file).mode & 0o777).toBe(mode);
  expect(warn.mock.calls).toEqual(isWarned ? [[`other users of this machine can read or write ${file}`]] : []);
});

test('no other index makes another plant the same', async () => {
  await openSqliteStore(file).close();
  execute('CREATE UNIQUE INDEX one_name ON plants (id)');
  const store = openSqliteStore(file);
  await store.add({ id: 1n, name: 'Rose' });
  await store.add({ id: 1n, name: 'Rose' });
  await expect(store.add({ id: 1n, name: 'Fern' })).rejects.toThrow('UNIQUE constraint failed');
  await store.close();
});

test('a plant is in the log on disk when it is acknowledged', async () => {
  const store = openSqliteStore(file);
  await store.add({ id: 1n, name: 'a-name-to-look-for' });
  expect(readFileSync(`${file}-wal`, 'latin1')).toContain('a-name-to-look-for');
  await store.close();
});

test('every commit is synced', () => {
  const database = openPrepared();
  expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  database.close();
});

test('the file says whose it is', async () => {
  await openSqliteStore(file).close();
  expect(readFileSync(file).subarray(68, 72).toString()).toBe('Plnt');
});

test.each([
  ['a newer version', `PRAGMA user_version = 2`, 'it was written by a newer version (its format is 2)'],
  ['an unknown version', `PRAGMA user_version = 0`, 'it was written by another version (its format is 0)'],
  ['another application', 'PRAGMA application_id = 1', 'it belongs to another application'],
  ['ours without its table', 'DROP TABLE plants', 'no such table: plants'],
  ['ours without its index', 'DROP INDEX plants_once', 'ON CONFLICT clause does not match'],
  [
    'ours with a view',
    'DROP TABLE plants; CREATE TABLE kept (id, name, tag); CREATE VIEW Plants AS SELECT * FROM kept',
    'plants is a view, which need not keep what is acknowledged',
  ],
  [
    'ours with a trigger',
    'CREATE TRIGGER "keep none" AFTER INSERT ON PLANTS BEGIN DELETE FROM plants; END',
    'the trigger "keep none" may change or drop what is acknowledged',
  ],
])('a file of %s is refused and left as it was', async (_, sql, message) => {
  await openSqliteStore(file).close();
  execute(sql);
  const before = readFileSync(file);
  expect(() => openSqliteStore(file)).toThrow(`the database ${file} cannot be used: ${message}`);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a database that has other tables is refused', () => {
  execute('CREATE TABLE plants (id TEXT)');
  expect(() => openSqliteStore(file)).toThrow('it belongs to another application');
});

test.each([
  [
    'no database',
    () => {
      writeFileSync(file, 'x'.repeat(5000));
    },
    'file is not a database',
  ],
  [
    'a folder',
    () => {
      file = folder;
    },
    'unable to open database file',
  ],
  [
    'below a file',
    () => {
      writeFileSync(file, '');
      file = join(file, 'plants.db');
    },
    'unable to open database file',
  ],
  [
    'far below a file',
    () => {
      writeFileSync(file, '');
      file = join(file, 'a', 'plants.db');
    },
    'ENOTDIR',
  ],
  [
    'in a folder that cannot be made',
    () => {
      file = '/proc/a/b/plants.db';
    },
    'ENOENT',
  ],
  [
    'where no file can be made',
    () => {
      file = '/proc/plants.db';
    },
    'unable to open database file',
  ],
])('a file that is %s is refused in one line that names it', (_, prepare, message) => {
  prepare();
  expect(() => openSqliteStore(file)).toThrow(StoreUnavailable);
  expect(() => openSqliteStore(file)).toThrow(`the database ${file} cannot be used: `);
  expect(() => openSqliteStore(file)).toThrow(message);
});

test('processes that start at once make one table', async () => {
  using all = new DisposableStack();
  const services = Array.from({ length: 5 }, () =>
    all.use(startProcess({ DATABASE_URL: `file:${file}`, API_TOKENS: 'a-token-for-the-tests' })),
  );
  for (const service of services) {
    const [, url = ''] = await service.waitFor(/"url":"([^"]+)"/);
    const headers = { Authorization: 'Bearer a-token-for-the-tests', 'Content-Type': 'application/json' };
    const body = '{"id":1,"name":"Rose"}';
    await expect(fetchPatiently(`${url}/plants`, { method: 'POST', headers, body })).resolves.toMatchObject({
      status: 200,
    });
  }
  expect(readRows(file)).toHaveLength(1);
});

test('a start waits while another process makes the table', async () => {
  const holder = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    const database = new (require('node:sqlite').DatabaseSync)(workerData);
    database.exec('BEGIN IMMEDIATE');
    parentPort.postMessage('held');
    setTimeout(() => database.exec('ROLLBACK'), 100);`,
    { eval: true, workerData: file },
  );
  const ended = once(holder, 'exit');
  await once(holder, 'message');
  await openSqliteStore(file).close();
  expect(readRows(file)).toEqual([]);
  await ended;
});

describe('a database that cannot be written for now', () => {
  test('503 while another process holds it, 200 after that', async () => {
    await using app = await startApp();
    const other = new DatabaseSync(join(app.folder, 'plants.db'));
    other.exec('BEGIN IMMEDIATE');
    let isOver = false;
    const waiting = postPlant(app.server, '{"id":1,"name":"Rose"}')
      .expect(503)
      .then((reply) => reply)
      .finally(() => (isOver = true));
    // Others are served meanwhile.
    for (let time = 0; time < 5; time++) await request(app.server).get('/nowhere').expect(404);
    expect(isOver).toBe(false);
    const reply = await waiting;
    expect(reply.body).toMatchObject({ error: 50300 });
    expect(reply.headers['retry-after']).toBe('1');
    expect(reply.text).not.toMatch(/sql|database|plants\.db/i);
    other.exec('ROLLBACK');
    await postPlant(app.server, '{"id":1,"name":"Rose"}').expect(200);
    other.close();
  });

  test('it says so when it is asked how it is', async () => {
    const store = openSqliteStore(file);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    await expect(store.check()).rejects.toMatchObject({
      constructor: StoreUnavailable,
      message: 'the database cannot be written: database is locked',
    });
    other.close();
    await store.close();
  });

  test('200 when another process holds it for a moment', async () => {
    await using app = await startApp();
    const other = new DatabaseSync(join(app.folder, 'plants.db'));
    other.exec('BEGIN IMMEDIATE');
    const waiting = postPlant(app.server, '{"id":1,"name":"Rose"}').then((reply) => reply);
    await new Promise((resolve) => setTimeout(resolve, 60));
    other.exec('ROLLBACK');
    await expect(waiting).resolves.toMatchObject({ status: 200 });
    other.close();
  });
});

test('500 for a failure that is the store’s own fault', async () => {
  await using app = await startApp();
  // By its reply the thread has the table before its eyes.
  await postPlant(app.server, '{"id":1,"name":"Rose"}').expect(200);
  const database = new DatabaseSync(join(app.folder, 'plants.db'));
  database.exec('DROP TABLE plants');
  database.close();
  const reply = await postPlant(app.server, '{"id":1,"name":"Rose"}').expect(500);
  expect(reply.text).not.toMatch(/table|plants|sql/i);
});

describe('a commit', () => {
  const long = 'x'.repeat(100_000);

  test('keeps nothing of a batch while the disk is full, and all of it when there is room', () => {
    const database = openPrepared();
    const commit = createCommit(database);
    database.exec('PRAGMA max_page_count = 20');
    const batch = [
      [1n, 'Rose', null],
      [2n, long, null],
    ] as const;
    const failure = { message: 'database or disk is full', isUnavailable: true };
    expect(commit(batch)).toEqual([
      { place: 0, ...failure },
      { place: 1, ...failure },
    ]);
    expect(commit([[1n, 'Rose', null]])).toEqual([]);
    database.exec('PRAGMA max_page_count = 1000');
    expect(commit(batch)).toEqual([]);
    database.close();
    expect(readRows(file)).toHaveLength(2);
  });

  test('fails only the row that is at fault', () => {
    const database = openPrepared();
    database.exec(`CREATE TRIGGER refuse BEFORE INSERT ON plants WHEN NEW.id = 2 BEGIN SELECT RAISE(ABORT, 'no'); END`);
    const commit = createCommit(database);
    const rows = [1n, 2n, 3n].map((id) => [id, 'Rose', null] as const);
    expect(commit(rows)).toEqual([{ place: 1, message: 'no', isUnavailable: false }]);
    database.close();
    expect(readRows(file).map(({ id }) => id)).toEqual([1n, 3n]);
  });

  test('fails as a whole when something undoes it all', () => {
    const database = openPrepared();
    database.exec(
      `CREATE TRIGGER undo BEFORE INSERT ON plants WHEN NEW.id = 2 BEGIN SELECT RAISE(ROLLBACK, 'no'); END`,
    );
    const commit = createCommit(database);
    const rows = [1n, 2n, 3n].map((id) => [id, 'Rose', null] as const);
    expect(commit(rows).map(({ place }) => place)).toEqual([0, 1, 2]);
    expect(commit([[4n, 'Rose', null]])).toEqual([]);
    database.close();
    expect(readRows(file).map(({ id }) => id)).toEqual([4n]);
  });
});

test('fails as a whole when it cannot be ended, and the next one is another', () => {
  const database = openPrepared();
  database.exec(`CREATE TABLE pots (id INTEGER REFERENCES plots DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE plots (id INTEGER PRIMARY KEY);
    CREATE TRIGGER pot AFTER INSERT ON plants WHEN NEW.id = 2 BEGIN INSERT INTO pots VALUES (1); END`);
  const commit = createCommit(database);
  const rows = [1n, 2n].map((id) => [id, 'Rose', null] as const);
  const failure = { message: 'FOREIGN KEY constraint failed', isUnavailable: false };
  expect(commit(rows)).toEqual([
    { place: 0, ...failure },
    { place: 1, ...failure },
  ]);
  expect(commit([[3n, 'Rose', null]])).toEqual([]);
  database.close();
  expect(readRows(file).map(({ id }) => id)).toEqual([3n]);
});

describe('a database that is read by another program when its log is to be changed', () => {
  let reader: DatabaseSync;
  beforeEach(async () => {
    await openSqliteStore(file).close();
    execute('PRAGMA journal_mode = DELETE');
    reader = new DatabaseSync(file);
    reader.exec('BEGIN; SELECT * FROM plants');
  });
  afterEach(() => {
    reader.close();
  });

  test('is waited for', async () => {
    reader.close();
    const other = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
      const database = new (require('node:sqlite').DatabaseSync)(workerData);
      database.exec('BEGIN; SELECT * FROM plants');
      parentPort.postMessage('read');
      setTimeout(() => database.exec('COMMIT'), 100);`,
      { eval: true, workerData: file },
    );
    const ended = once(other, 'exit');
    await once(other, 'message');
    await openSqliteStore(file).close();
    await ended;
    reader = openPrepared();
    expect(reader.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });

  test('is not waited for without end', () => {
    expect(() => openSqliteStore(file)).toThrow(`the database ${file} cannot be used: database is locked`);
  });
});

test('the thread answers each batch with what failed, and ends', async () => {
  await openSqliteStore(file).close();
  const { port1, port2 } = new MessageChannel();
  serveDatabase(port2, file);
  const well = { failures: [], logBytes: expect.any(Number) as number };
  port1.postMessage([[1n, 'Rose', null]]);
  await expect(once(port1, 'message')).resolves.toEqual([well]);
  port1.postMessage('check');
  await expect(once(port1, 'message')).resolves.toEqual([{ ...well, logBytes: statSync(`${file}-wal`).size }]);
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  port1.postMessage('check');
  const failure = { place: 0, message: 'database is locked', isUnavailable: true };
  await expect(once(port1, 'message')).resolves.toMatchObject([{ failures: [failure] }]);
  other.close();
  port1.postMessage('close');
  await once(port1, 'close');
  expect(readRows(file)).toEqual([{ id: 1n, name: 'Rose', tag: null }]);
});

test.each([
  ['DROP TABLE plants', 'no such table: plants'],
  ['', 'unable to open database file'],
])('the thread answers when the database cannot be used since it was looked at: %s', async (sql, message) => {
  await openSqliteStore(file).close();
  if (sql === '') file = folder;
  else execute(sql);
  const { port1, port2 } = new MessageChannel();
  serveDatabase(port2, file);
  port1.postMessage([
    [1n, 'Rose', null],
    [2n, 'Rose', null],
  ]);
  const failures = [0, 1].map((place) => ({ place, message, isUnavailable: true }));
  await expect(once(port1, 'message')).resolves.toEqual([{ failures, logBytes: 0 }]);
  port1.postMessage('close');
  await once(port1, 'close');
});
