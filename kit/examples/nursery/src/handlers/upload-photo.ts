import type { Handler } from '../../generated/handlers';
import { toProblem } from '../http';
import type { NurseryStore, Photo } from '../store/nursery-store';

/** PUT /plants/{plantId}/photo: from a form, or as the picture alone. */
export const uploadPhoto =
  (store: NurseryStore): Handler<'uploadPhoto'> =>
  async ({ path, ...request }, reply) => {
    const sent = request.contentType === 'multipart/form-data' ? request.body.photo : request.body;
    const photo: Photo = { type: sent.type, bytes: await sent.bytes() };
    const isKept = await store.keepPhoto(path.plantId, photo);
    return isKept ? reply(204) : reply(404, toProblem(404, 'No plant of the catalogue has this id.'));
  };
