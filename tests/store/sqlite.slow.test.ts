import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import request from 'supertest';
import { postPlant, startApp } from '../support/start-app';
import { until } from '../support/until';

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
