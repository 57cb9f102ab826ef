import { openPlantStore, type StoredPlant } from '../../src/store/plant-store';
import { fetchPatiently, startProcess } from '../support/start-process';
import { postPlant, startApp } from '../support/start-app';
import { startPostgres, usePostgres } from '../support/start-postgres';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import request from 'supertest';
import { until } from '../support/until';

const ROSE: StoredPlant = { id: 1n, name: 'Rose', tag: 'flower' };

const postgres = usePostgres();

test('a digest that another program makes is the same', async () => {
  const { url, query } = await postgres.createDatabase();
  const store = await openPlantStore({ servers: [url] });
  await Promise.all([ROSE, { id: 1n, name: 'é:1' }, { id: 1n, name: '', tag: '' }].map((plant) => store.add(plant)));
  const digest = `sha256(convert_to(octet_length(name) || ':' || name || coalesce(':' || tag, ''), 'UTF8'))`;
  await expect(query(`SELECT name FROM plants WHERE digest <> ${digest}`)).resolves.toEqual([]);
  await store.close();
});

test('the key can be spread by id: it begins with it, and nothing else is unique, counts or triggers', async () => {
  const { url, query } = await postgres.createDatabase();
  await (await openPlantStore({ servers: [url] })).close();
  await expect(query(`SELECT indexdef FROM pg_indexes WHERE tablename = 'plants'`)).resolves.toEqual([
    { indexdef: expect.stringMatching(/UNIQUE INDEX \w+ ON public\.plants USING btree \(id, digest\)/) as string },
  ]);
  await expect(query(`SELECT relname FROM pg_class WHERE relkind = 'S'`)).resolves.toEqual([]);
  await expect(query('SELECT tgname FROM pg_trigger')).resolves.toEqual([]);
});

test('503 while the database is away, 200 when it is back', async () => {
  await using server = await startPostgres();
  const store = await openPlantStore({ servers: [server.url] });
  await using app = await startApp({ store });
  await postPlant(app.server, '{"id":1,"name":"Rose"}').expect(200);
  await server.stop('SIGKILL');
  for (let time = 0; time < 3; time++) {
    const reply = await postPlant(app.server, '{"id":2,"name":"Rose"}').expect(503);
    expect(reply.body).toMatchObject({ error: 50300 });
    expect(reply.text).not.toMatch(/ECONN|postgres|database|127/i);
  }
  await expect(store.check()).rejects.toThrow(/^no server takes writes: /);
  await server.start();
  await postPlant(app.server, '{"id":2,"name":"Rose"}').expect(200);
  await expect(server.query('SELECT id FROM plants')).resolves.toHaveLength(2);
});

test('503 when it becomes read-only under the service, 200 when it is not any more', async () => {
  const { name, url, query } = await postgres.createDatabase();
  const store = await openPlantStore({ servers: [url] });
  await using app = await startApp({ store });
  await postPlant(app.server, '{"id":1,"name":"Rose"}').expect(200);
  await query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await postgres.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await postPlant(app.server, '{"id":2,"name":"Rose"}').expect(503);
  await postgres.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await postPlant(app.server, '{"id":2,"name":"Rose"}').expect(200);
});

test('the service uses it, and logs no password', async () => {
  const { url, query } = await postgres.createDatabase();
  using service = startProcess({ DATABASE_URL: url, API_TOKENS: 'a-token-for-the-tests' });
  const [, address = ''] = await service.waitFor(/"url":"([^"]+)"/);
  const headers = { Authorization: 'Bearer a-token-for-the-tests', 'Content-Type': 'application/json' };
  const body = '{"id":1,"name":"Rose"}';
  await expect(fetchPatiently(`${address}/plants`, { method: 'POST', headers, body })).resolves.toMatchObject({
    status: 200,
  });
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  expect(service.output.stdout).toContain(`"database":"${url.replace('postgres:secret@', '')}"`);
  expect(service.output.stdout + service.output.stderr).not.toContain('secret');
  await expect(query('SELECT name FROM plants')).resolves.toHaveLength(1);
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
    // On a machine that is busy the moment may be as long as the store waits, which is told with 503.
    await until(async () => {
      other.exec('BEGIN IMMEDIATE');
      const waiting = postPlant(app.server, '{"id":1,"name":"Rose"}').then(({ status }) => status);
      await new Promise((resolve) => setTimeout(resolve, 60));
      other.exec('ROLLBACK');
      return (await waiting) === 200;
    });
    expect(app.rows()).toHaveLength(1);
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
