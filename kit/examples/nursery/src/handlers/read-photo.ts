import type { Handler } from '../../generated/handlers';
import { toProblem } from '../http';
import type { NurseryStore } from '../store/nursery-store';

/** GET /plants/{plantId}/photo */
export const readPhoto =
  (store: NurseryStore): Handler<'readPhoto'> =>
  async ({ path }, reply) => {
    const photo = await store.readPhoto(path.plantId);
    if (!photo) return reply(404, toProblem(404, 'There is no photo of this plant.'));
    const headers = { 'Content-Type': photo.type as `image/${string}`, 'Content-Security-Policy': 'sandbox' } as const;
    return reply(200, Buffer.from(photo.bytes), headers);
  };
