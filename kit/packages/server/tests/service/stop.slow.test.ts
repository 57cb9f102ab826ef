import { Client } from 'pg';
import { usePostgres } from '@contract-kit/test-support/start-postgres';
import { LISTENING, startProcess } from '@contract-kit/test-support/start-process';
import { until } from '@contract-kit/test-support/until';

const TOKEN = 'a-token-for-the-tests';
const LOCKED = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;

const postgres = usePostgres();

test('a service whose database does not answer stops after SHUTDOWN_TIMEOUT, and what it acknowledged is kept', async () => {
  const { url, query } = await postgres.createDatabase();
  using service = startProcess({ DATABASE_URL: url, API_TOKENS: TOKEN, SHUTDOWN_TIMEOUT: '1s' });
  const [, serviceUrl = ''] = await service.waitFor(LISTENING);
  const create = (id: number): Promise<unknown> =>
    fetch(`${serviceUrl}/plants`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ id, name: 'Rose' }),
    }).then(
      ({ status }) => status,
      () => 'cut off',
    );
  await expect(create(1)).resolves.toBe(200);
  const other = new Client(url);
  await other.connect();
  other.on('error', () => undefined);
  await other.query('BEGIN; LOCK plants');
  const created = Promise.all([2, 3, 4].map(create));
  await until(async () => (await query(LOCKED)).length > 0);
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  expect(service.output.stdout).toContain('stopped before all was closed');
  // It has not waited until its statements were cancelled.
  await expect(query(LOCKED)).resolves.not.toEqual([]);
  await expect(created).resolves.toEqual(['cut off', 'cut off', 'cut off']);
  await other.end();
  await expect(query('SELECT name FROM plants WHERE id = 1')).resolves.toHaveLength(1);
});
