import type { Handler } from '../../generated/handlers';
import type { NurseryStore } from '../store/nursery-store';

/** GET /plants: a page of those that fit. */
export const listPlants =
  (store: NurseryStore): Handler<'listPlants'> =>
  async ({ query: { limit, ...filter } }, reply) => {
    // One more tells whether there is another page.
    const found = await store.listPlants(filter, limit + 1);
    const plants = found.slice(0, limit);
    const last = plants.at(-1);
    return reply(200, { plants, ...(last && found.length > limit && { next: last.id }) });
  };
