import type { Handler } from '../../generated/handlers';
import { toProblem } from '../http';
import type { NurseryStore } from '../store/nursery-store';

/** DELETE /plants/{plantId} */
export const removePlant =
  (store: NurseryStore): Handler<'removePlant'> =>
  async ({ path }, reply) => {
    switch (await store.removePlant(path.plantId)) {
      case 'removed':
        return reply(204);
      case 'reserved':
        return reply(409, toProblem(409, 'A customer has a reservation of this plant.'));
      case 'unknown':
        return reply(404, toProblem(404, 'No plant of the catalogue has this id.'));
    }
  };
