import { readPlants } from './ledger';
import { ROUNDS } from './random';
import { takeAgainAndAgain } from './rounds';
import { startCluster, type ClusterNode } from './start-cluster';

test('three PostgreSQL with patroni, the leader killed', async () => {
  await using cluster = await startCluster();
  let killed: ClusterNode | undefined;
  await takeAgainAndAgain(
    { proof: 'three PostgreSQL with patroni, the leader killed', rounds: Math.min(10, ROUNDS) },
    { url: cluster.url, rows: () => readPlants(cluster) },
    {
      pause: [500, 2_000],
      async begin() {
        killed = await cluster.killLeader();
      },
      async mend() {
        killed?.start();
        await cluster.untilWhole();
      },
    },
  );
});
