import type { Handler } from '../../generated/handlers';
import { toProblem } from '../http';
import type { NurseryStore } from '../store/nursery-store';

/** DELETE /plants/{plantId}/reservations/{reservationId} */
export const giveUpReservation =
  (store: NurseryStore): Handler<'giveUpReservation'> =>
  async ({ path }, reply) => {
    const isGone = await store.giveUp(path.plantId, path.reservationId);
    return isGone ? reply(204) : reply(404, toProblem(404, 'The plant has no reservation with this id.'));
  };
