import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import request from 'supertest';
import { openPlantStore } from '../../src/store/plant-store';
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

// As the first release made it.
const FIRST_RELEASE = `
  CREATE TABLE plants (id INTEGER NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT;
  CREATE UNIQUE INDEX plants_once ON plants (id, name, ifnull(tag, x''));
  PRAGMA application_id = 1349283444;
  PRAGMA user_version = 1;
  PRAGMA journal_mode = WAL;
  INSERT INTO plants VALUES (1, 'Rose', 'flower'), (2, 'Fern', NULL), (-9223372036854775808, '', '')`;

test('a file of the first release opens with every plant, and stays of that format', async () => {
  const made = new DatabaseSync(file);
  made.exec(FIRST_RELEASE);
  made.close();
  const store = await openPlantStore({ file });
  const known = [
    { id: 1n, name: 'Rose', tag: 'flower' },
    { id: 2n, name: 'Fern', tag: null },
    { id: -(2n ** 63n), name: '', tag: '' },
  ];
  expect(readRows(file)).toEqual(known);
  await store.add({ id: 2n, name: 'Fern' });
  await store.add({ id: 3n, name: 'Moss' });
  await store.close();
  expect(readRows(file)).toEqual([...known, { id: 3n, name: 'Moss', tag: null }]);
  const fresh = join(folder, 'fresh.db');
  await (await openPlantStore({ file: fresh })).close();
  const [before, after] = [file, fresh].map(readFormat);
  expect(after).toEqual(before);
  expect(readFileSync(fresh).subarray(68, 72).toString()).toBe('Plnt');
});

/** The tables and indexes of a file, and the version. */
function readFormat(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  const schema = database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
  const format = [...schema, database.prepare('PRAGMA user_version').get()].map((row) => ({ ...row }));
  database.close();
  return format;
}

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
