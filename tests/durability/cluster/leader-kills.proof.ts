import { setTimeout as sleep } from 'node:timers/promises';
import { createLedger, isSound, NOTHING, SOUND, createPlants, type Row } from '../ledger';
import { startLoad } from '../load';
import { record, showProgress } from '../results';
import { ROUNDS, createRandom } from '../random';
import { startService } from '../service';
import { startCluster } from './start-cluster';

const PROOF = 'three PostgreSQL with patroni, the leader killed';
const KILLS = Math.min(10, ROUNDS);

test(PROOF, async () => {
  await using cluster = await startCluster();
  const random = createRandom(PROOF);
  const ledger = createLedger();
  using service = await startService(cluster.url);
  const load = startLoad(service.url, ledger, createPlants(random));
  let audit = NOTHING;
  let rounds = 0;
  let outageMs = 0;
  while (rounds < KILLS && isSound(audit)) {
    await load.next(200);
    await sleep(random.integer(500, 2_000));
    const killed = performance.now();
    const leader = await cluster.killLeader();
    await load.next(503);
    await load.next(200);
    outageMs = Math.max(outageMs, performance.now() - killed);
    audit = await ledger.audit(() => cluster.query<Row>('SELECT id, name, tag FROM plants'));
    leader.start();
    await cluster.untilWhole();
    showProgress(PROOF, ++rounds, KILLS);
  }
  await load.stop();
  const note = `longest outage ${(outageMs / 1000).toFixed(2)} s`;
  record({ proof: PROOF, rounds, ...audit, unavailable: load.statuses.get(503) ?? 0, note });
  expect(audit).toMatchObject(SOUND);
  expect([...load.statuses.keys()].sort()).toEqual([200, 503]);
});
