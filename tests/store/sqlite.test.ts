import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import request from 'supertest';
import { StoreUnavailable, type StoredPlant } from '../../src/store/plant-store';
import { createSqliteStore, openSqliteStore } from '../../src/store/sqlite';
import { openDatabase } from '../../src/store/sqlite-database';
import { postPlant } from '../post-plant';
import { readRows, startApp } from '../start-app';
import { startProcess } from '../start-process';

const ROSE: StoredPlant = { id: 1n, name: 'Rose', tag: 'flower' };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  file = join(folder, 'plants.db');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

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

test('plants are there after a restart', async () => {
  for (const plant of [ROSE, { id: -(2n ** 63n), name: '' }, ROSE]) {
    const store = openSqliteStore(file);
    await store.add(plant);
    await store.close();
  }
  expect(readRows(file)).toEqual([
    { id: 1n, name: 'Rose', tag: 'flower' },
    { id: -(2n ** 63n), name: '', tag: null },
  ]);
});

test('a plant is in the log on disk when it is acknowledged', async () => {
  const store = openSqliteStore(file);
  await store.add({ id: 1n, name: 'a-name-to-look-for' });
  expect(readFileSync(`${file}-wal`, 'latin1')).toContain('a-name-to-look-for');
  await store.close();
});

test('every commit is synced', () => {
  const database = openDatabase(file);
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
    /EEXIST|ENOTDIR/,
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

test('two processes that start at once make one table', async () => {
  using first = startProcess({ DATABASE_URL: `file:${file}`, API_TOKENS: 'one' });
  using second = startProcess({ DATABASE_URL: `file:${file}`, API_TOKENS: 'one' });
  for (const service of [first, second]) {
    const [, url = ''] = await service.waitFor(/"url":"([^"]+)"/);
    const headers = { Authorization: 'Bearer one', 'Content-Type': 'application/json' };
    const reply = await fetch(`${url}/plants`, { method: 'POST', headers, body: '{"id":1,"name":"Rose"}' });
    expect(reply.status).toBe(200);
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
  await once(holder, 'message');
  await openSqliteStore(file).close();
  expect(readRows(file)).toEqual([]);
  await once(holder, 'exit');
});

describe('a database that cannot be written for now', () => {
  test('503 while another process holds it, 200 after that', async () => {
    await using app = await startApp();
    const other = new DatabaseSync(join(app.folder, 'plants.db'));
    other.exec('BEGIN IMMEDIATE');
    const waiting = postPlant(app.server, '{"id":1,"name":"Rose"}')
      .expect(503)
      .then((reply) => reply);
    const start = Date.now();
    await request(app.server).get('/plants').expect(405);
    expect(Date.now() - start).toBeLessThan(200);
    const reply = await waiting;
    expect(reply.body).toMatchObject({ error: 50300 });
    expect(reply.headers['retry-after']).toBe('1');
    expect(reply.text).not.toMatch(/sql|database|plants\.db/i);
    other.exec('ROLLBACK');
    await postPlant(app.server, '{"id":1,"name":"Rose"}').expect(200);
    other.close();
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

  test('503 while it is full, 200 when there is room', async () => {
    const database = openDatabase(file);
    await using app = await startApp({ store: createSqliteStore(database) });
    const body = JSON.stringify({ id: 1, name: 'x'.repeat(100_000) });
    database.exec('PRAGMA max_page_count = 8');
    const start = Date.now();
    await postPlant(app.server, body).expect(503);
    expect(Date.now() - start).toBeLessThan(240);
    expect(app.outcomes[0]?.refusal?.cause).toMatchObject({
      message: 'the database cannot be written',
      cause: { message: 'database or disk is full' },
    });
    database.exec('PRAGMA max_page_count = 1000');
    await postPlant(app.server, body).expect(200);
    expect(readRows(file)).toHaveLength(1);
  });
});

test('500 for a failure that is the store’s own fault', async () => {
  await using app = await startApp();
  const database = new DatabaseSync(join(app.folder, 'plants.db'));
  database.exec('DROP TABLE plants');
  database.close();
  const reply = await postPlant(app.server, '{"id":1,"name":"Rose"}').expect(500);
  expect(reply.text).not.toMatch(/table|plants|sql/i);
});

test('a store that is closed keeps nothing', async () => {
  const store = openSqliteStore(file);
  await store.close();
  await expect(store.add(ROSE)).rejects.toThrow(/not open|finalized/);
});
