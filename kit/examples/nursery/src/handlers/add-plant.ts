import { randomUUIDv7 } from 'node:crypto';
import type { Handler } from '../../generated/handlers';
import type { NurseryStore } from '../store/nursery-store';
import { toETag } from '../http';

/** POST /plants: the server makes the id, and answers when the plant is on disk. */
export const addPlant =
  (store: NurseryStore): Handler<'addPlant'> =>
  async ({ body }, reply) => {
    const plant = { id: randomUUIDv7(), ...body, added: new Date().toISOString() };
    const version = await store.addPlant(plant);
    // Relative to the request, so that it is right under any BASE_URL.
    return reply(201, plant, { Location: `plants/${plant.id}`, ETag: toETag(version) });
  };
