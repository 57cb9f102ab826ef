import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { readRows } from '../../tests/support/start-app';
import { findPort } from '../../tests/support/listen-on-loopback';
import { createPostgres, startPostgres, type PostgresServer } from '../../tests/support/start-postgres';
import { createLoopDisk, type LoopDisk } from './disk';
import { readPlants } from './ledger';
import { createNursery } from './nursery';
import { startPair } from './postgres';
import { ROUNDS } from './random';
import { record } from './results';
import { killAgainAndAgain, takeAgainAndAgain, type Ground } from './rounds';
import { STORES } from './service';

const CUTS = Math.min(10, ROUNDS);

test.each(STORES)('%s, kill -9 of the service', async (store, open) => {
  await using database = await open();
  await killAgainAndAgain({ proof: `${store}, kill -9 of the service`, rounds: ROUNDS }, () => database);
  database.check?.();
});

test.each(STORES)('nursery on %s, kill -9 of the service', async (store, open) => {
  await using database = await open();
  const proof = `nursery on ${store}, kill -9 of the service`;
  await killAgainAndAgain({ proof, rounds: ROUNDS }, () => database, undefined, createNursery);
  database.check?.();
});

test('PostgreSQL, kill -9 of PostgreSQL', async () => {
  await using postgres = await startPostgres();
  await takeAgainAndAgain(
    { proof: 'PostgreSQL, kill -9 of PostgreSQL', rounds: Math.ceil(ROUNDS / 5) },
    { url: postgres.url, rows: () => readPlants(postgres) },
    { pause: [50, 300], begin: () => postgres.stop('SIGKILL'), end: () => postgres.start() },
  );
});

test('PostgreSQL with a standby, kill -9 of the primary', async () => {
  await using pair = await startPair();
  await takeAgainAndAgain(
    { proof: 'PostgreSQL with a standby, kill -9 of the primary', rounds: Math.min(5, ROUNDS) },
    { url: pair.url, rows: () => readPlants(pair) },
    { pause: [50, 300], begin: pair.killPrimary, end: pair.promote, mend: pair.rebuild },
  );
});

function createDisk(proof: string): LoopDisk | undefined {
  try {
    return createLoopDisk();
  } catch {
    record({ proof, note: 'did not run: a file system cannot be mounted' });
    return undefined;
  }
}

test('SQLite, power cut', async () => {
  const proof = 'SQLite, power cut';
  using disk = createDisk(proof);
  if (disk === undefined) return;
  const begin = (): Ground => {
    const file = join(disk.folder, 'plants.db');
    return { url: `file:${file}`, rows: () => readRows(file) };
  };
  await killAgainAndAgain({ proof, rounds: CUTS }, begin, disk.cutPower);
});

test('PostgreSQL, power cut', async () => {
  const proof = 'PostgreSQL, power cut';
  using disk = createDisk(proof);
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
  await killAgainAndAgain({ proof, rounds: CUTS }, begin, disk.cutPower);
});
