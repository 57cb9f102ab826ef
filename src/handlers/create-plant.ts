import type { Handler } from '../../generated/handlers';
import type { PlantStore } from '../store/plant-store';

/** POST /plants: the plant is in the store before the reply is made. */
export function createCreatePlant(store: PlantStore): Handler<'createPlant'> {
  return async function createPlant({ body: { id, name, tag } }, reply) {
    const plant = { name, ...(tag !== undefined && { tag }) };
    await store.add({ id, ...plant });
    return reply(200, plant);
  };
}
