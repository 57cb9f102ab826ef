import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRows } from '@contract-kit/test-support/start-app';
import { startProxy } from '@contract-kit/test-support/start-proxy';
import { findPort } from '@contract-kit/test-support/listen-on-loopback';
import { createPostgres, startPostgres, type PostgresServer } from '@contract-kit/test-support/start-postgres';
import { createLoopDisk } from './disk';
import { readPlants } from './ledger';
import { createNursery } from './nursery';
import { startPair } from './postgres';
import { ROUNDS } from './random';
import { record } from './results';
import { killAgainAndAgain, takeAgainAndAgain, type Ground } from './rounds';
import { STORES } from './service';

const CUTS = Math.min(10, ROUNDS);

test.each(STORES)('%s, kill -9 of the service', async (_, open) => {
  await using database = await open();
  await killAgainAndAgain(ROUNDS, () => database);
  database.check?.();
});

test.each(STORES)('nursery on %s, kill -9 of the service', async (_, open) => {
  await using database = await open();
  await killAgainAndAgain(ROUNDS, () => database, undefined, createNursery);
  database.check?.();
});

test('PostgreSQL, kill -9 of PostgreSQL', async () => {
  await using postgres = await startPostgres();
  await takeAgainAndAgain(
    Math.ceil(ROUNDS / 5),
    { url: postgres.url, rows: () => readPlants(postgres) },
    { pause: [50, 300], begin: () => postgres.stop('SIGKILL'), end: () => postgres.start() },
  );
});

test('PostgreSQL with a standby, kill -9 of the primary', async () => {
  await using pair = await startPair();
  await takeAgainAndAgain(
    Math.min(5, ROUNDS),
    { url: pair.url, rows: () => readPlants(pair) },
    { pause: [50, 300], begin: pair.killPrimary, end: pair.promote, mend: pair.rebuild },
  );
});

// Clients ask all the time, so that no connection is ever idle for so long that the service closes it.
const OUTAGE_MS = 3_000;

test('PostgreSQL with a standby, a proxy that leads to the standby for 3 s', async () => {
  await using pair = await startPair();
  const [primary, standby] = pair.ports;
  await using proxy = await startProxy(primary);
  await takeAgainAndAgain(
    Math.min(5, ROUNDS),
    { url: pair.url.replace(/@.*(?=\/)/, `@127.0.0.1:${String(proxy.port)}`), rows: () => readPlants(pair) },
    {
      pause: [50, 300],
      begin: async () => {
        proxy.moveTo(standby);
        proxy.cut();
        await sleep(OUTAGE_MS);
      },
      // The connections to the standby stay open.
      end: () => {
        proxy.moveTo(primary);
        return Promise.resolve();
      },
    },
  );
});

test('PostgreSQL, a database that is read-only for 3 s', async () => {
  await using postgres = await startPostgres();
  const { name, url, query } = await postgres.createDatabase();
  await takeAgainAndAgain(
    Math.min(5, ROUNDS),
    { url, rows: () => readPlants({ query }) },
    {
      pause: [50, 300],
      begin: async () => {
        await postgres.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
        await postgres.query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`);
        await sleep(OUTAGE_MS);
      },
      end: async () => {
        await postgres.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
      },
    },
  );
});

function createDisk() {
  try {
    return createLoopDisk();
  } catch {
    record({ note: 'did not run: a file system cannot be mounted' });
    return undefined;
  }
}

test('SQLite, power cut', async () => {
  using disk = createDisk();
  if (disk === undefined) return;
  const begin = (): Ground => {
    const file = join(disk.folder, 'plants.db');
    return { url: `file:${file}`, rows: () => readRows(file) };
  };
  await killAgainAndAgain(CUTS, begin, disk.cutPower);
});

test('PostgreSQL, power cut', async () => {
  using disk = createDisk();
  if (disk === undefined) return;
  const port = await findPort();
  const create = (): Promise<PostgresServer> => createPostgres(join(disk.folder, 'data'), port);
  await (await create()).initialise();
  // Initialising is in a hurry; whoever does it for good syncs, too.
  execFileSync('sync', ['--file-system', disk.folder]);
  const begin = async (): Promise<Ground> => {
    const server = await create();
    await server.start();
    return { url: server.url, rows: () => readPlants(server), kill: () => server.stop('SIGKILL') };
  };
  await killAgainAndAgain(CUTS, begin, disk.cutPower);
});
