import {
  startPostgres,
  type PostgresDatabase,
  type RunningPostgres,
  hasPgbouncer,
  startPgbouncer,
  type RunningPgbouncer,
} from '@contract-kit/test-support/start-postgres';
import type { StoredPlant } from '@contract-kit/test-support/plants/src/store/plant-store';
import { post } from './load';
import { createLedger, SOUND, createPlants, toReply, readPlants } from './ledger';
import { createRandom, type Random } from './random';
import { record } from './results';
import { startService } from './service';

const PLANTS = 500;
const CLIENTS = 32;
const ROUTES = [
  'PostgreSQL',
  'PostgreSQL with four hash partitions',
  'pgbouncer',
  'pgbouncer that pools sessions',
] as const;
type Route = (typeof ROUTES)[number];

const PARTITIONED = `ALTER TABLE plants RENAME TO kept;
  CREATE TABLE plants (LIKE kept INCLUDING DEFAULTS, PRIMARY KEY (id, digest)) PARTITION BY HASH (id);
  ${[0, 1, 2, 3].map((part) => `CREATE TABLE part${String(part)} PARTITION OF plants FOR VALUES WITH (MODULUS 4, REMAINDER ${String(part)});`).join('')}
  DROP TABLE kept`;
// A pooled session is a connection of the server, so all that ten services open.
const SESSIONS = 60;

let postgres: RunningPostgres;
const poolers = new Map<Route, RunningPgbouncer>();
beforeAll(async () => {
  postgres = await startPostgres();
  if (!hasPgbouncer()) return;
  poolers.set('pgbouncer', await startPgbouncer(postgres.url));
  poolers.set('pgbouncer that pools sessions', await startPgbouncer(postgres.url, 'session', SESSIONS));
});
afterAll(async () => {
  for (const pooler of poolers.values()) await pooler[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

/** A database without plants, or none when this way there does not exist here. */
async function createDatabase(route: Route): Promise<PostgresDatabase | undefined> {
  const server = route.startsWith('PostgreSQL') ? postgres : poolers.get(route);
  if (server === undefined) {
    record({ note: 'did not run: there is no pgbouncer' });
    return undefined;
  }
  const { name, query } = await postgres.createDatabase();
  const url = new URL(name, server.url).href;
  if (route.endsWith('partitions')) {
    await (await startService(url)).end('SIGTERM');
    await query(PARTITIONED);
  }
  return { url, query };
}

/** Plants of which some are others under the same ids. */
function createOverlapping(random: Random): StoredPlant[] {
  const next = createPlants(random);
  const plants = Array.from({ length: PLANTS }, next);
  return [...plants, ...plants.filter(({ id }) => id % 3n === 0n).map(({ id }) => ({ ...next(), id }))];
}

/** Sends all plants, each of many clients the next one. A plant that got 503 is sent again. */
async function sendAll(url: string, plants: StoredPlant[], statuses: Map<number, number>): Promise<void> {
  const waiting = [...plants];
  const send = async (): Promise<void> => {
    for (let plant = waiting.pop(); plant !== undefined; plant = waiting.pop()) {
      const { status, text } = await post(url, plant);
      const seen = status === 200 && text !== toReply(plant) ? 0 : status;
      statuses.set(seen, (statuses.get(seen) ?? 0) + 1);
      if (status === 503) waiting.push(plant);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, send));
}

describe.each(ROUTES)('%s', (route) => {
  test.each([2, 4])('%d services keep what overlaps once', async (count) => {
    const database = await createDatabase(route);
    if (database === undefined) return;
    const random = createRandom();
    const services = await Promise.all(Array.from({ length: count }, () => startService(database.url)));
    const plants = createOverlapping(random);
    const ledger = createLedger();
    for (const plant of plants) ledger.send(plant);
    const statuses = new Map<number, number>();
    const mixed = random.shuffle(plants);
    // All services have the same few at the same time, each in an order of its own: what would lock in a circle does.
    for (let start = 0; start < mixed.length; start += CLIENTS) {
      const few = mixed.slice(start, start + CLIENTS);
      await Promise.all(services.map(({ url }) => sendAll(url, random.shuffle(few), statuses)));
    }
    for (const plant of plants) ledger.acknowledge(plant);
    const audit = await ledger.audit(() => readPlants(database));
    await Promise.all(services.map((service) => service.end('SIGTERM')));
    record({ rounds: 1, ...audit, unavailable: statuses.get(503) ?? 0 });
    expect(audit).toMatchObject(SOUND);
    expect(statuses.get(200)).toBe(count * plants.length);
    expect([200, 503]).toEqual(expect.arrayContaining([...statuses.keys()]));
    expect(postgres.log.filter((line) => line.includes('deadlock'))).toEqual([]);
  });

  test('ten services that start at once on a database without plants all start', async () => {
    const database = await createDatabase(route);
    if (database === undefined) return;
    const services = await Promise.all(Array.from({ length: 10 }, () => startService(database.url)));
    record({ rounds: 1, recoveryMs: Math.max(...services.map(({ startMs }) => startMs)) });
    await Promise.all(services.map((service) => service.end('SIGTERM')));
    await expect(readPlants(database)).resolves.toEqual([]);
  });
});

test('six services share a server that has fewer connections than they want', async () => {
  await using small = await startPostgres(['max_connections=10']);
  const { url, query } = await small.createDatabase();
  const services = await Promise.all(Array.from({ length: 6 }, () => startService(url)));
  const plants = createOverlapping(createRandom());
  const ledger = createLedger();
  const statuses = new Map<number, number>();
  for (const plant of plants) ledger.send(plant);
  await Promise.all(services.map((service) => sendAll(service.url, plants, statuses)));
  for (const plant of plants) ledger.acknowledge(plant);
  await Promise.all(services.map((service) => service.end('SIGTERM')));
  const audit = await ledger.audit(() => readPlants({ query }));
  const refused = small.log.filter((line) => line.includes('too many clients')).length;
  const note = `${String(refused)} connections refused`;
  record({ rounds: 1, ...audit, unavailable: statuses.get(503) ?? 0, note });
  expect(audit).toMatchObject(SOUND);
  expect([200, 503]).toEqual(expect.arrayContaining([...statuses.keys()]));
});
