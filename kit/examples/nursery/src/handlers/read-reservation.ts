import type { Handler } from '../../generated/handlers';
import { toProblem } from '../http';
import type { NurseryStore } from '../store/nursery-store';

/** GET /plants/{plantId}/reservations/{reservationId} */
export const readReservation =
  (store: NurseryStore): Handler<'readReservation'> =>
  async ({ path }, reply) => {
    const found = await store.readReservation(path.plantId, path.reservationId);
    return found ? reply(200, found) : reply(404, toProblem(404, 'The plant has no reservation with this id.'));
  };
