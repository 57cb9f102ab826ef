import type { Handler } from '../../generated/handlers';
import { toProblem, toETag } from '../http';
import type { NurseryStore } from '../store/nursery-store';

/** GET /plants/{plantId} */
export const readPlant =
  (store: NurseryStore): Handler<'readPlant'> =>
  async ({ path }, reply) => {
    const found = await store.readPlant(path.plantId);
    if (!found) return reply(404, toProblem(404, 'No plant of the catalogue has this id.'));
    return reply(200, found.plant, { ETag: toETag(found.version) });
  };
