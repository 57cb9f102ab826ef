import { once } from 'node:events';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { fetchPatiently, startProcess, type ServiceProcess } from '@contract-kit/test-support/start-process';
import { findPort } from '@contract-kit/test-support/listen-on-loopback';
import { holdCreation, sendRaw } from '@contract-kit/test-support/send-raw';
import { startPostgres } from '@contract-kit/test-support/start-postgres';
import { until } from '@contract-kit/test-support/until';
import { useFolder } from '@contract-kit/test-support/use-folder';

const folder = useFolder();

const HEADERS = { Authorization: 'Bearer a-token-for-the-tests', 'Content-Type': 'application/json' };

/** Where it listens, for clients and for those who run it. */
async function addressesOf(service: ServiceProcess): Promise<{ url: string; admin: string }> {
  const [, url = '', admin = ''] = await service.waitFor(/"url":"([^"]+)".*"admin":"([^"]+)"/);
  return { url, admin };
}

function create(url: string, body = '{"id":1,"name":"Rose"}', headers: Record<string, string> = HEADERS) {
  return fetchPatiently(`${url}/plants`, { method: 'POST', headers, body });
}

async function read(url: string): Promise<[number, string]> {
  const reply = await fetch(url);
  return [reply.status, await reply.text()];
}

async function untilReady(admin: string): Promise<void> {
  await until(async () => (await read(`${admin}/readyz`))[1] === 'ready\n');
}

test('what it tells is not to be had where clients are', async () => {
  using service = startProcess({ API_TOKENS: 'a-token-for-the-tests' });
  const { admin, url } = await addressesOf(service);
  for (const path of ['livez', 'readyz', 'metrics']) {
    await expect(read(`${admin}/${path}`)).resolves.toEqual([200, expect.any(String)]);
    await expect(read(`${url}/${path}`)).resolves.toEqual([404, expect.any(String)]);
  }
});

test('on loopback it answers to the names of loopback alone, elsewhere to all', async () => {
  async function ask(service: ServiceProcess): Promise<[number, string] | undefined> {
    const { admin } = await addressesOf(service);
    const [reply] = await sendRaw(Number(new URL(admin).port), 'GET /livez HTTP/1.1\r\nHost: plants.example\r\n\r\n');
    return reply && [reply.status, reply.body];
  }
  using own = startProcess({ API_TOKENS: 'a-token-for-the-tests' });
  await expect(ask(own)).resolves.toEqual([421, 'The Host header does not name this server.\n']);
  using open = startProcess({ API_TOKENS: 'a-token-for-the-tests', ADMIN_HOST: '0.0.0.0' });
  await expect(ask(open)).resolves.toEqual([200, 'alive\n']);
  open.child.kill('SIGTERM');
  await expect(open.ended).resolves.toBe(0);
});

test('it is answered while clients take all connections that 64 file descriptors allow', async () => {
  using service = startProcess({ API_TOKENS: 'a-token-for-the-tests' }, [], { descriptors: 64 });
  const { admin, url } = await addressesOf(service);
  const sockets = Array.from({ length: 100 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
  await Promise.all(
    sockets.map((socket) =>
      once(
        socket.on('error', () => undefined),
        'connect',
      ),
    ),
  );
  // Those that are turned away are closed.
  let closed = 0;
  for (const socket of sockets) socket.on('close', () => (closed += 1)).resume();
  while (closed < 100 - 16) {
    await expect(read(`${admin}/livez`)).resolves.toEqual([200, 'alive\n']);
  }
  await expect(read(`${admin}/livez`)).resolves.toEqual([200, 'alive\n']);
  await expect(read(`${admin}/readyz`)).resolves.toEqual([200, 'ready\n']);
  for (const socket of sockets) socket.destroy();
});

test('not ready while the store is away, ready when it is back', async () => {
  await using postgres = await startPostgres();
  using service = startProcess({ API_TOKENS: 'a-token-for-the-tests', DATABASE_URL: postgres.url });
  const { admin, url } = await addressesOf(service);
  await untilReady(admin);
  await postgres.stop();
  const [status, text] = await read(`${admin}/readyz`);
  expect(status).toBe(503);
  expect(text).toMatch(/^not ready: .+\n$/);
  expect(text).not.toContain('secret');
  await expect(read(`${admin}/livez`)).resolves.toEqual([200, 'alive\n']);
  await postgres.start();
  await untilReady(admin);
  await expect(create(url)).resolves.toMatchObject({ status: 200 });
});

test('not ready while another process holds the database', async () => {
  using service = startProcess({ API_TOKENS: 'a-token-for-the-tests' });
  const { admin } = await addressesOf(service);
  const other = new DatabaseSync(join(service.folder, 'data/plants.db'));
  other.exec('BEGIN IMMEDIATE');
  // On a machine that is busy the check takes too long before it fails.
  await expect(read(`${admin}/readyz`)).resolves.toEqual([
    503,
    expect.stringMatching(
      /^not ready: (?:the database cannot be written: database is locked|a check took longer than 3000 ms)\n$/,
    ),
  ]);
  other.exec('ROLLBACK');
  other.close();
  await untilReady(admin);
});

test('/readyz is 503 while the service drains', async () => {
  using service = startProcess({ API_TOKENS: 'a-token-for-the-tests', SHUTDOWN_TIMEOUT: '60m' });
  const { admin, url } = await addressesOf(service);
  const { finish } = await holdCreation(url, HEADERS);
  service.child.kill('SIGTERM');
  await service.waitFor(/"stopping"/);
  await expect(read(`${admin}/readyz`)).resolves.toEqual([503, 'not ready: draining\n']);
  await expect(finish('{"id":1,"name":"Rose"}')).resolves.toMatch(/^HTTP\/1\.1 200 /);
  await expect(service.ended).resolves.toBe(0);
});

test('for DRAIN_DELAY, /readyz is 503 while new connections are served as before', async () => {
  using service = startProcess({ API_TOKENS: 'a-token-for-the-tests', DRAIN_DELAY: '60m' });
  const { admin, url } = await addressesOf(service);
  service.child.kill('SIGTERM');
  await service.waitFor(/"stopping"/);
  await expect(read(`${admin}/readyz`)).resolves.toEqual([503, 'not ready: draining\n']);
  const reply = await create(url);
  expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'keep-alive']);
  // Whoever cannot wait so long sends a second signal.
  service.child.kill('SIGINT');
  await expect(service.ended).resolves.toBe('SIGINT');
});

/** The samples of a scrape: each by its name and labels. */
async function scrape(admin: string): Promise<Map<string, number>> {
  const [, text] = await read(`${admin}/metrics`);
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('the metrics of a load count what was done, and no client names one', async () => {
  using service = startProcess({ API_TOKENS: 'a-token-for-the-tests' });
  const { admin, url } = await addressesOf(service);
  const names = async (): Promise<string[]> =>
    [...(await scrape(admin)).keys()].filter((name) => /^(?:http|store)_/.test(name)).sort();
  const all = Array.from({ length: 400 }, (_unused, id) => {
    if (id % 4 === 1) return create(url, '{"id":');
    if (id % 4 === 2) return create(url, '{}', { ...HEADERS, Authorization: `Bearer guess-${String(id)}` });
    if (id % 4 === 3)
      return fetch(`${url}/path-${String(id)}`, { method: 'DELETE', headers: { 'X-Request-Id': `id-${String(id)}` } });
    return create(url, JSON.stringify({ id, name: `name-${String(id)}` }));
  });
  const during = await scrape(admin);
  await Promise.all(all);
  const samples = await scrape(admin);
  const count = (status: number, operation = 'createPlant', name = 'http_requests_total') =>
    samples.get(`${name}{operation="${operation}",status="${String(status)}"}`);
  expect([count(200), count(400), count(401), count(404, '')]).toEqual([100, 100, 100, 100]);
  for (const status of [200, 400, 401])
    expect(count(status, 'createPlant', 'http_request_duration_seconds_count')).toBe(100);
  expect([samples.get('http_body_bytes{place="memory"}'), samples.get('store_waiting_reads')]).toEqual([0, 0]);
  expect(samples.get('http_body_limit_bytes{place="files"}')).toBe(4 * 1024 ** 3);
  expect(samples.get('store_commit_rows_sum')).toBe(100);
  expect(samples.get('store_commit_duration_seconds_count{kept="true"}')).toBe(samples.get('store_commit_rows_count'));
  expect(samples.get('store_waiting_rows')).toBe(0);
  expect([samples.get('service_ready'), samples.get('jwt_issuer_failing')]).toEqual([1, 0]);
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
  expect(samples.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(during.size).toBeGreaterThan(50);
  const before = await names();
  expect([...samples.keys()].join()).not.toMatch(/guess|path-|name-|id-|a-token/);
  for (const id of Array.from({ length: 50 }, (_unused, index) => index)) {
    await fetch(`${url}/another-${String(id)}`, {
      method: 'PUT',
      headers: { 'X-Request-Id': `request-${String(id)}` },
    });
  }
  await expect(names()).resolves.toEqual(before);
});

test('while it starts it lives, and is not ready', async () => {
  const file = join(folder, 'plants.db');
  using other = new DatabaseSync(file);
  // The start waits for another process that writes to the database.
  other.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE');
  const port = String(await findPort());
  const admin = `http://127.0.0.1:${port}`;
  const env = { API_TOKENS: 'a-token-for-the-tests', DATABASE_URL: `file:${file}`, ADMIN_PORT: port };
  using service = startProcess(env);
  await service.waitFor(/a migration waits for another process/);
  await expect(read(`${admin}/readyz`)).resolves.toEqual([503, 'not ready: starting\n']);
  await expect(read(`${admin}/livez`)).resolves.toEqual([200, 'alive\n']);
  other.exec('ROLLBACK');
  await service.waitFor(/"listening"/);
  await untilReady(admin);
});
