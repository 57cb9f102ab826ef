import { setTimeout as sleep } from 'node:timers/promises';
import { createLedger, isSound, NOTHING, SOUND, createPlants, type Row } from './ledger';
import { startLoad } from './load';
import { record, showProgress } from './results';
import { ROUNDS, createRandom } from './random';
import { startService } from './service';
import { startPair } from './postgres';

const PROOF = 'PostgreSQL with a standby, kill -9 of the primary';
const FAILOVERS = Math.min(5, ROUNDS);

test(PROOF, async () => {
  await using pair = await startPair();
  const random = createRandom(PROOF);
  const ledger = createLedger();
  using service = await startService(pair.url);
  const load = startLoad(service.url, ledger, createPlants(random));
  let audit = NOTHING;
  let rounds = 0;
  let recoveryMs = 0;
  let outageMs = 0;
  while (rounds < FAILOVERS && isSound(audit)) {
    if (rounds > 0) await pair.rebuild();
    await load.next(200);
    await sleep(random.integer(50, 300));
    const killed = performance.now();
    await pair.killPrimary();
    await load.next(503);
    await pair.promote();
    const promoted = performance.now();
    await load.next(200);
    recoveryMs = Math.max(recoveryMs, performance.now() - promoted);
    outageMs = Math.max(outageMs, performance.now() - killed);
    audit = await ledger.audit(() => pair.query<Row>('SELECT id, name, tag FROM plants'));
    showProgress(PROOF, ++rounds, FAILOVERS);
  }
  await load.stop();
  const note = `longest outage ${(outageMs / 1000).toFixed(2)} s`;
  record({ proof: PROOF, rounds, ...audit, unavailable: load.statuses.get(503) ?? 0, recoveryMs, note });
  expect(audit).toMatchObject(SOUND);
  expect([...load.statuses.keys()].sort()).toEqual([200, 503]);
});
