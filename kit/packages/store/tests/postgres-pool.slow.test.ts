import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type PoolClient } from 'pg';
import { hasPgbouncer, startPgbouncer, startPostgres, usePostgres } from '@contract-kit/test-support/start-postgres';
import { openPostgres } from '../src/postgres/open-postgres';
import { createPostgresPool, TIMES, requestCancel } from '../src/postgres/pool';
import { StoreUnavailable } from '../src/store';
import { anySchema } from './databases';
import { startProxy } from '@contract-kit/test-support/start-proxy';
import { until } from '@contract-kit/test-support/until';
import { useFolder } from '@contract-kit/test-support/use-folder';

// As many as openPostgres makes.
const CONNECTIONS = 7;
const LONG = 30_000;
const SHORT = 50;
const LATE = `the server did not answer within ${String(SHORT)} ms`;

const postgres = usePostgres();

/** The backends that serve clients, but for those of a program. */
async function findPids(program = ''): Promise<number[]> {
  const rows = await postgres.query(
    `SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
     AND application_name <> '${program}'`,
  );
  return rows.map(({ pid }) => Number(pid));
}

function toStatus(result: PromiseSettledResult<void>): unknown {
  return result.status === 'rejected' ? (result.reason as Error).constructor : result.status;
}

/** Tries something until it is done, such as to connect to a server that has little time. */
async function untilDone<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch {
      await sleep(10);
    }
  }
}

type Start = () => Promise<AsyncDisposable & { readonly url: string }>;
const routes: [string, Start][] = [
  ['PostgreSQL', () => Promise.resolve({ url: postgres.url, [Symbol.asyncDispose]: () => Promise.resolve() })],
];
if (hasPgbouncer()) routes.push(['pgbouncer', () => startPgbouncer(postgres.url)]);

test.each(routes)(
  '%s, locked: however often time runs out, there are no more backends than connections',
  async (_, start) => {
    await using route = await start();
    const times = { ...TIMES, connect: 1_000, work: LONG, cancel: LONG };
    const store = await openPostgres({ servers: [route.url] }, anySchema, {}, times);
    const add = async (number: bigint): Promise<void> => void (await store.add([0, [number, 'Milk']], 0));
    await add(1n);
    const other = new Client({ connectionString: postgres.url, application_name: 'other' });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE notes');
    times.work = SHORT;
    const counts: number[] = [];
    for (let time = 0; time < 20; time++) {
      const adds = [2n, 3n, 4n].map(add);
      const results = await Promise.allSettled([...adds, store.check(), store.check(), store.check()]);
      expect(results.map(toStatus)).toEqual(results.map(() => StoreUnavailable));
      counts.push((await findPids('other')).length);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(CONNECTIONS);
    await other.end();
    times.work = LONG;
    await untilDone(() => store.check());
    await add(5n);
    await store.close();
  },
);

test('a connection whose work was cancelled is used again, unless it is in a transaction', async () => {
  const times = { ...TIMES, connect: 1_000, work: LONG, cancel: LONG };
  const pool = createPostgresPool(() => postgres.url, { name: 'pool', connections: 1, times });
  const sleepLong = (client: PoolClient): Promise<unknown> => client.query('SELECT pg_sleep(600)');
  const findPid = async (): Promise<unknown> => {
    times.work = LONG;
    const { rows } = await untilFree();
    times.work = SHORT;
    return rows;
  };
  const untilFree = (): Promise<{ rows: unknown[] }> =>
    pool.use((client) => client.query('SELECT pg_backend_pid()')).catch(untilFree);
  const before = await findPid();
  await expect(pool.use(sleepLong)).rejects.toThrow(LATE);
  await expect(findPid()).resolves.toEqual(before);
  await expect(pool.use((client) => client.query('BEGIN').then(() => sleepLong(client)))).rejects.toThrow(LATE);
  await expect(findPid()).resolves.not.toEqual(before);
  await pool.close();
});

test('a connection that is lost while it is idle is replaced', async () => {
  const pool = createPostgresPool(() => postgres.url, { name: 'idle', connections: 1, times: TIMES });
  const findPid = async (): Promise<number> => {
    const { rows } = await pool.use((client) => client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'));
    return Number(rows[0]?.pid);
  };
  const before = await findPid();
  await postgres.query(`SELECT pg_terminate_backend(${String(before)}, 10000)`);
  await untilDone(findPid);
  await expect(findPid()).resolves.not.toBe(before);
  await pool.close();
});

test('an error of what reads the URL is one of the connection, also where a connection is made for a use that waited', async () => {
  let read = (): string => postgres.url;
  const pool = createPostgresPool(() => read(), { name: 'read', connections: 1, times: TIMES });
  const ask = (): Promise<unknown> => pool.use((client) => client.query('SELECT 1'));
  const fail = (): Promise<never> => Promise.reject(new Error('no'));
  await ask();
  read = (): string => {
    throw new Error('there is no URL');
  };
  // The first use closes the only connection; the second one has waited for it.
  const results = await Promise.allSettled([pool.use(fail), ask()]);
  expect(results).toMatchObject([{ reason: { message: 'no' } }, { reason: { message: 'there is no URL' } }]);
  read = () => postgres.url;
  await ask();
  await pool.close();
});

describe('a backend that does not even obey a cancel request', () => {
  const times = { ...TIMES, connect: 500, work: LONG, cancel: SHORT };

  /** A pool of one connection, whose backend stands still as one does whose disk hangs. */
  async function createStopped(): Promise<{ pool: ReturnType<typeof createPostgresPool>; stopped: number }> {
    times.work = LONG;
    const pool = createPostgresPool(() => postgres.url, { name: 'pool', connections: 1, times });
    const { rows } = await untilDone(() =>
      pool.use((client) => client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')),
    );
    const stopped = Number(rows[0]?.pid);
    let working: Promise<unknown> = Promise.resolve();
    await pool.use((client) => {
      working = client.query('SELECT pg_sleep(600)');
      return Promise.resolve();
    });
    const state = `SELECT state FROM pg_stat_activity WHERE pid = ${String(stopped)}`;
    await until(async () => (await postgres.query(state))[0]?.['state'] === 'active');
    process.kill(stopped, 'SIGSTOP');
    times.work = SHORT;
    await expect(pool.use(() => working)).rejects.toThrow(LATE);
    return { pool, stopped };
  }

  const ask = (client: PoolClient): Promise<unknown> => client.query('SELECT 1');

  test('keeps its place, whether the server takes connections or not, until it obeys', async () => {
    const { pool, stopped } = await createStopped();
    const server = Number(readFileSync(join(postgres.folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const refuse = async (): Promise<void> => {
      for (let time = 0; time < 5; time++) await expect(pool.use(ask)).rejects.toThrow('timeout exceeded');
    };
    await refuse();
    // One more may be there, which looks for it.
    expect((await findPids()).filter((pid) => pid !== stopped).length).toBeLessThanOrEqual(1);
    process.kill(server, 'SIGSTOP');
    await refuse();
    process.kill(server, 'SIGCONT');
    process.kill(stopped, 'SIGCONT');
    times.work = LONG;
    await untilDone(() => pool.use(ask));
    await pool.close();
  });

  test('gives its place away when the server does not know it, as after a failover behind one name', async () => {
    await using other = await startPostgres();
    await using proxy = await startProxy(postgres.port);
    const url = Object.assign(new URL(postgres.url), { port: proxy.port });
    times.work = LONG;
    const pool = createPostgresPool(() => url.href, { name: 'pool', connections: 1, times });
    await untilDone(() => pool.use(ask));
    proxy.moveTo(other.port);
    proxy.stall();
    times.work = SHORT;
    await expect(pool.use(ask)).rejects.toThrow(LATE);
    times.work = LONG;
    await untilDone(() => pool.use(ask));
    await pool.close();
  });

  test.each([
    ['', 'SELECT 1'],
    [' and left in a transaction', 'BEGIN'],
    [' and left in a failed transaction', 'BEGIN; SELECT 1 / 0'],
  ])('gives its place away when the network has forgotten its connection%s', async (_, before) => {
    await using proxy = await startProxy(postgres.port);
    const url = Object.assign(new URL(postgres.url), { port: proxy.port });
    times.work = LONG;
    const pool = createPostgresPool(() => url.href, { name: 'forgotten', connections: 1, times });
    await untilDone(() => pool.use(ask));
    times.work = SHORT;
    const askInVain = async (client: PoolClient): Promise<unknown> => {
      await client.query(before).catch(() => undefined);
      proxy.stall();
      return ask(client);
    };
    await expect(pool.use(askInVain)).rejects.toThrow(LATE);
    times.work = LONG;
    await untilDone(() => pool.use(ask));
    const backends = `SELECT pid FROM pg_stat_activity WHERE application_name = 'forgotten'`;
    await until(async () => (await postgres.query(backends)).length === 1);
    await pool.close();
  });

  test('does not keep it from being closed', async () => {
    const { pool, stopped } = await createStopped();
    await expect(pool.close()).resolves.toBeUndefined();
    process.kill(stopped, 'SIGCONT');
  });
});

describe('a cancel request', () => {
  const folder = useFolder();
  const client = { host: folder, port: 7, processID: 1, secretKey: 2 } as unknown as PoolClient;

  test('goes through the file system where the connection does, and is not waited for without an end', async () => {
    const server = createServer().listen(join(folder, '.s.PGSQL.7'));
    await once(server, 'listening');
    const cancelled = requestCancel(client);
    const [socket] = (await once(server, 'connection')) as [Socket];
    const [request] = (await once(socket, 'data')) as [Buffer];
    expect(request.toString('hex')).toBe('0000001004d2162e0000000100000002');
    await cancelled;
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  test('that cannot be sent is no failure', async () => {
    await expect(requestCancel(client)).resolves.toBeUndefined();
  });
});
