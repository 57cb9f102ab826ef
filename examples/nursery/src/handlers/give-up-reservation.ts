import type { Handler } from '../../generated/handlers';
import { toProblem } from '../http';
import type { NurseryStore } from '../store/nursery-store';

/** DELETE /plants/{plantId}/reservations/{reservationId} */
export function createGiveUpReservation(store: NurseryStore): Handler<'giveUpReservation'> {
  return async function giveUpReservation({ path }, reply) {
    const isGone = await store.giveUp(path.plantId, path.reservationId);
    return isGone ? reply(204) : reply(404, toProblem(404, 'The plant has no reservation with this id.'));
  };
}
