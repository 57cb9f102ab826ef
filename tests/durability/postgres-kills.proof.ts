import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../support/start-postgres';
import { killUnderLoad, startService } from './service';
import { createLedger, isSound, NOTHING, SOUND, createPlants, readPlants } from './ledger';
import { startLoad } from './load';
import { record, showProgress } from './results';
import { ROUNDS } from './settings';
import { createRandom } from './random';

const SERVICE = 'PostgreSQL, kill -9 of the service';
const SERVER = 'PostgreSQL, kill -9 of PostgreSQL';
const SERVER_ROUNDS = Math.ceil(ROUNDS / 5);

test(SERVICE, async () => {
  await using postgres = await startPostgres();
  const random = createRandom(SERVICE);
  const next = createPlants(random);
  const ledger = createLedger();
  let service = await startService(postgres.url);
  let audit = NOTHING;
  let rounds = 0;
  let unavailable = 0;
  let recoveryMs = 0;
  while (rounds < ROUNDS && isSound(audit)) {
    const { statuses } = await killUnderLoad(service, random, ledger, next);
    unavailable += statuses.get(503) ?? 0;
    service = await startService(postgres.url);
    recoveryMs = Math.max(recoveryMs, service.startMs);
    audit = await ledger.audit(() => readPlants(postgres));
    showProgress(SERVICE, ++rounds, ROUNDS);
  }
  await service.end('SIGTERM');
  record({ proof: SERVICE, rounds, ...audit, unavailable, recoveryMs });
  expect(audit).toMatchObject(SOUND);
  expect(audit.acknowledged).toBeGreaterThan(rounds);
});

test(SERVER, async () => {
  await using postgres = await startPostgres();
  const random = createRandom(SERVER);
  const ledger = createLedger();
  using service = await startService(postgres.url);
  const load = startLoad(service.url, ledger, createPlants(random));
  let audit = NOTHING;
  let rounds = 0;
  let recoveryMs = 0;
  while (rounds < SERVER_ROUNDS && isSound(audit)) {
    await load.next(200);
    await sleep(random.integer(50, 300));
    await postgres.stop('SIGKILL');
    await load.next(503);
    await postgres.start();
    const ready = performance.now();
    await load.next(200);
    recoveryMs = Math.max(recoveryMs, performance.now() - ready);
    audit = await ledger.audit(() => readPlants(postgres));
    showProgress(SERVER, ++rounds, SERVER_ROUNDS);
  }
  await load.stop();
  audit = await ledger.audit(() => readPlants(postgres));
  record({ proof: SERVER, rounds, ...audit, unavailable: load.statuses.get(503) ?? 0, recoveryMs });
  expect(audit).toMatchObject(SOUND);
  expect([...load.statuses.keys()].sort()).toEqual([200, 503]);
});
