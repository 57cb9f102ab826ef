import {
  startPostgres,
  type PostgresDatabase,
  type RunningPostgres,
  hasPgbouncer,
  startPgbouncer,
  type RunningPgbouncer,
} from '../../tests/support/start-postgres';
import type { StoredPlant } from '../../src/store/plant-store';
import { post } from './load';
import { createLedger, SOUND, createPlants, toReply, readPlants } from './ledger';
import { createRandom, type Random } from './random';
import { record } from './results';
import { startService } from './service';

const PLANTS = 500;
const CLIENTS = 32;
const ROUTES = ['PostgreSQL', 'pgbouncer'] as const;

let postgres: RunningPostgres;
let pooler: RunningPgbouncer | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
  if (hasPgbouncer()) pooler = await startPgbouncer(postgres.url);
});
afterAll(async () => {
  await pooler?.[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

/** An empty database, or none when this way there does not exist here. */
async function createDatabase(route: (typeof ROUTES)[number], proof: string): Promise<PostgresDatabase | undefined> {
  const server = route === 'PostgreSQL' ? postgres : pooler;
  if (server === undefined) {
    record({ proof, note: 'did not run: there is no pgbouncer' });
    return undefined;
  }
  const { name, query } = await postgres.createDatabase();
  return { url: new URL(name, server.url).href, query };
}

/** Plants of which some are others under the same ids. */
function createOverlapping(random: Random): StoredPlant[] {
  const next = createPlants(random);
  const plants = Array.from({ length: PLANTS }, next);
  return [...plants, ...plants.filter(({ id }) => id % 3n === 0n).map(({ id }) => ({ ...next(), id }))];
}

/** Sends all plants, each of many clients the next one. */
async function sendAll(url: string, plants: StoredPlant[], statuses: Map<number, number>): Promise<void> {
  const waiting = [...plants];
  const send = async (): Promise<void> => {
    for (let plant = waiting.pop(); plant !== undefined; plant = waiting.pop()) {
      const { status, text } = await post(url, plant);
      const seen = status === 200 && text !== toReply(plant) ? 0 : status;
      statuses.set(seen, (statuses.get(seen) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, send));
}

describe.each(ROUTES)('%s', (route) => {
  test.each([2, 4])('%d services keep what overlaps once', async (count) => {
    const proof = `${route}, ${String(count)} services, the same plants`;
    const database = await createDatabase(route, proof);
    if (database === undefined) return;
    const random = createRandom(proof);
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
    record({ proof, rounds: 1, ...audit, unavailable: statuses.get(503) ?? 0 });
    expect(audit).toMatchObject(SOUND);
    expect([...statuses]).toEqual([[200, count * plants.length]]);
    expect(postgres.log.filter((line) => line.includes('deadlock'))).toEqual([]);
  });

  test('ten services that start at once on an empty database all start', async () => {
    const proof = `${route}, ten services that start at once`;
    const database = await createDatabase(route, proof);
    if (database === undefined) return;
    const services = await Promise.all(Array.from({ length: 10 }, () => startService(database.url)));
    record({ proof, rounds: 1, recoveryMs: Math.max(...services.map(({ startMs }) => startMs)) });
    await Promise.all(services.map((service) => service.end('SIGTERM')));
    await expect(readPlants(database)).resolves.toEqual([]);
  });
});
