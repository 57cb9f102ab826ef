import type { Handler } from '../../generated/handlers';
import type { PlantStore } from '../store/plant-store';

/** POST /plants: stores the plant on disk, then replies. */
export function createCreatePlant(store: PlantStore): Handler<'createPlant'> {
  return async function createPlant({ body: { id, name, tag } }, reply) {
    // The reply has the plant without its id, as the contract declares it.
    const plant = { name, ...(tag !== undefined && { tag }) };
    await store.add({ id, ...plant });
    return reply(200, plant);
  };
}
