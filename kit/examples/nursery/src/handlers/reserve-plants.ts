import { randomUUIDv7 } from 'node:crypto';
import type { Handler } from '../../generated/handlers';
import type { Plant } from '../../generated/schemas';
import { toProblem } from '../http';
import type { NurseryStore } from '../store/nursery-store';

/**
 * POST /plants/{plantId}/reservations
 *
 * @param onSoldOut is told of a plant whose last one went
 */
export const reservePlants =
  (store: NurseryStore, onSoldOut: (plant: Plant) => void): Handler<'reservePlants'> =>
  async ({ path: { plantId }, body, signal }, reply) => {
    const reservation = { id: randomUUIDv7(), ...body, plant: plantId, made: new Date().toISOString() };
    let soldOut: Plant | undefined;
    // A reply that the contract does not declare throws, and then nothing is reserved.
    const made = await store.reserve(
      reservation,
      (outcome) => {
        if (outcome === 'unknown') return reply(404, toProblem(404, 'No plant of the catalogue has this id.'));
        if (outcome === 'too few') return reply(409, toProblem(409, 'Fewer are in stock.'));
        soldOut = outcome.stock === 0 ? outcome : undefined;
        // Relative to the request, so that it is right under any BASE_URL.
        return reply(201, { ...reservation, plant: outcome.id }, { Location: `reservations/${reservation.id}` });
      },
      signal,
    );
    if (soldOut) onSoldOut(soldOut);
    return made;
  };
