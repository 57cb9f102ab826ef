import type { Statement } from '@contract-kit/store';
import type { Reservation } from '../nursery-store';

interface ReservationRow {
  readonly id: string;
  readonly plant: string;
  readonly quantity: bigint;
  readonly customer: string | null;
  readonly made: string;
}

const COLUMNS = 'id, plant, quantity, customer, made';

function toReservation({ quantity, customer, ...row }: ReservationRow): Reservation {
  return { ...row, quantity: Number(quantity), ...(customer !== null && { customer }) };
}

export function findReservation(plantId: string, id: string): Statement<Reservation> {
  return {
    sql: `SELECT ${COLUMNS} FROM reservations WHERE id = $1 AND plant = $2`,
    values: [id, plantId],
    toItem: toReservation,
  };
}

/** Changes nothing when there is no such plant. */
export function addReservation({ id, plant, quantity, customer, made }: Reservation): Statement<Reservation> {
  return {
    sql: `INSERT INTO reservations (${COLUMNS}) SELECT $1, id, $3, $4, $5 FROM plants WHERE id = $2 RETURNING ${COLUMNS}`,
    values: [id, plant, quantity, customer ?? null, made],
    toItem: toReservation,
  };
}

export function removeReservation(id: string): Statement<Reservation> {
  return {
    sql: `DELETE FROM reservations WHERE id = $1 RETURNING ${COLUMNS}`,
    values: [id],
    toItem: toReservation,
  };
}
