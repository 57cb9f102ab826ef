import type { Handler } from '../../generated/handlers';
import type { Plant, PlantPatch } from '../../generated/schemas';
import { toProblem, isMatch, toETag } from '../http';
import type { NurseryStore } from '../store/nursery-store';

/** PATCH /plants/{plantId}: a JSON merge patch (RFC 7396). */
export const changePlant =
  (store: NurseryStore): Handler<'changePlant'> =>
  async ({ path, headers, body }, reply) => {
    const ifMatch = headers['If-Match'] ?? '*';
    const outcome = await store.changePlant(path.plantId, ({ version, plant }) =>
      isMatch(ifMatch, version) ? merge(plant, body) : undefined,
    );
    if (outcome === 'unknown') return reply(404, toProblem(404, 'No plant of the catalogue has this id.'));
    if (outcome === 'kept') return reply(412, toProblem(412, 'The plant has another version by now.'));
    if (outcome === 'too many')
      return reply(409, toProblem(409, 'The stock and the reservations are too many together.'));
    return reply(200, outcome.plant, { ETag: toETag(outcome.version) });
  };

// What is optional can be taken away.
function merge({ botanicalName, tags, ...plant }: Plant, patch: PlantPatch): Plant {
  const { botanicalName: newName = botanicalName, tags: newTags = tags, ...changes } = patch;
  return {
    ...plant,
    ...changes,
    ...(newName != null && { botanicalName: newName }),
    ...(newTags && { tags: newTags }),
  };
}
