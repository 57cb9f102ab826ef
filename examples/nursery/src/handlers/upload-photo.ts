import type { Handler } from '../../generated/handlers';
import { toProblem } from '../http';
import type { NurseryStore, Photo } from '../store/nursery-store';

/** PUT /plants/{plantId}/photo: from a form, or as the picture alone. */
export const uploadPhoto =
  (store: NurseryStore): Handler<'uploadPhoto'> =>
  async ({ path, ...request }, reply) => {
    const photo: Photo =
      request.contentType === 'multipart/form-data'
        ? { type: request.body.photo.type, bytes: await request.body.photo.bytes() }
        : { type: request.contentType, bytes: request.body };
    const isKept = await store.keepPhoto(path.plantId, photo);
    return isKept ? reply(204) : reply(404, toProblem(404, 'No plant of the catalogue has this id.'));
  };
