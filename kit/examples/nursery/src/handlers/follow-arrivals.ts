import { randomUUIDv7 } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Handler } from '../../generated/handlers';
import type { Plant } from '../../generated/schemas';
import type { NurseryStore } from '../store/nursery-store';

const PERIOD_MS = 1_000;
const MAX_PLANTS = 100;
// A plant whose id was made earlier may be stored a little later.
const LAG_MS = 2_000;

/** GET /arrivals: an event for each new plant, whichever process has added it. */
export const followArrivals =
  (store: NurseryStore): Handler<'followArrivals'> =>
  ({ headers: { 'Last-Event-ID': last = randomUUIDv7() }, signal }, reply) =>
    reply(200, readArrivals(store, last, signal));

async function* readArrivals(
  store: NurseryStore,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<{ retry: number } | { id: string; data: Plant }> {
  yield { retry: PERIOD_MS };
  for (;;) {
    const found = await store.listPlants({ after }, MAX_PLANTS);
    const settled = found.filter(({ added }) => Date.parse(added) < Date.now() - LAG_MS);
    for (const plant of settled) {
      yield { id: plant.id, data: plant };
      after = plant.id;
    }
    if (settled.length < MAX_PLANTS) await setTimeout(PERIOD_MS, undefined, { signal });
  }
}
