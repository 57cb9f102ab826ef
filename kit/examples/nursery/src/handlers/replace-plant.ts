import type { Handler } from '../../generated/handlers';
import { toProblem, isMatch, toETag } from '../http';
import type { NurseryStore } from '../store/nursery-store';

/** PUT /plants/{plantId}: only over a version that the client has seen. */
export const replacePlant =
  (store: NurseryStore): Handler<'replacePlant'> =>
  async ({ path, headers, body }, reply) => {
    const ifMatch = headers['If-Match'];
    if (ifMatch === undefined) return reply(428, toProblem(428, 'Say by If-Match which version is to be replaced.'));
    const outcome = await store.changePlant(path.plantId, ({ version, plant: { id, added } }) =>
      isMatch(ifMatch, version) ? { id, ...body, added } : undefined,
    );
    if (outcome === 'unknown') return reply(404, toProblem(404, 'No plant of the catalogue has this id.'));
    if (outcome === 'kept') return reply(412, toProblem(412, 'The plant has another version by now.'));
    if (outcome === 'too many')
      return reply(409, toProblem(409, 'The stock and the reservations are too many together.'));
    return reply(200, outcome.plant, { ETag: toETag(outcome.version) });
  };
