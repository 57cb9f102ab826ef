import type { Handler } from '../../generated/handlers';
import type { PlantStore } from '../store/plant-store';

/** POST /plants: stores the plant on disk, then replies. */
export const createPlant =
  (store: PlantStore): Handler<'createPlant'> =>
  async ({ body: { id, name, tag } }, reply) => {
    // The reply has the plant without its id, as the contract declares it.
    const plant = { name, ...(tag !== undefined && { tag }) };
    await store.add({ id, ...plant });
    return reply(200, plant);
  };
