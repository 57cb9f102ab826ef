import type { Handler } from '../../generated/handlers';
import type { ServiceStore } from '../store';

/** POST /plants: stores the plant on disk, then replies. */
export const createPlant =
  (store: ServiceStore): Handler<'createPlant'> =>
  async ({ body: { id, ...plant } }, reply) => {
    await store.add.plants({ id, ...plant });
    // The reply has the plant without its id, as the contract declares it.
    return reply(200, plant);
  };
