import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import request from 'supertest';
import { fetchPatiently } from '../support/fetch-patiently';
import { postPlant } from '../support/post-plant';
import { readRows, startApp } from '../support/start-app';
import { startProcess } from '../support/start-process';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  file = join(folder, 'plants.db');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
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
