import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../tests/support/start-postgres';
import { startProxy } from '../../tests/support/start-proxy';
import { readPlants } from './ledger';
import { startPair } from './postgres';
import { ROUNDS } from './random';
import { takeAgainAndAgain } from './rounds';

// Clients ask all the time, so that no connection is ever idle for so long that the service closes it.
const OUTAGE_MS = 3_000;

test('PostgreSQL with a standby, a proxy that leads to the standby for 3 s', async () => {
  await using pair = await startPair();
  const [primary, standby] = pair.ports;
  await using proxy = await startProxy(primary);
  await takeAgainAndAgain(
    { proof: 'PostgreSQL with a standby, a proxy that leads to the standby for 3 s', rounds: Math.min(5, ROUNDS) },
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
    { proof: 'PostgreSQL, a database that is read-only for 3 s', rounds: Math.min(5, ROUNDS) },
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
