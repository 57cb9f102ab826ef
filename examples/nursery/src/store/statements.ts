import type { Statement } from '@contract-kit/store';
import type { Plant, Reservation } from '../../generated/schemas';
import type { Filter, StoredPlant, Photo } from './nursery-store';
import { toColumns, toSearch } from './schema';

interface PlantRow {
  readonly id: string;
  readonly name: string;
  readonly botanical_name: string | null;
  readonly light: Plant['light'];
  readonly cents: bigint;
  readonly stock: bigint;
  readonly tags: string | null;
  readonly added: string;
  readonly version: bigint;
}

const PLANT_COLUMNS = 'id, name, botanical_name, light, cents, stock, tags, added, version';

function toPlant(row: PlantRow): StoredPlant {
  const { id, name, botanical_name: botanicalName, light, tags, added } = row;
  const plant = {
    id,
    name,
    ...(botanicalName !== null && { botanicalName }),
    light,
    cents: Number(row.cents),
    stock: Number(row.stock),
    ...(tags !== null && { tags: JSON.parse(tags) as string[] }),
    added,
  };
  return { plant, version: Number(row.version) };
}

export function findPlant(id: string): Statement<StoredPlant> {
  return { sql: `SELECT ${PLANT_COLUMNS} FROM plants WHERE id = $1`, values: [id], toItem: toPlant };
}

/** In the order of their ids, which is the order in which they were added. */
export function listPlants({ q, light, available, after }: Filter, limit: number): Statement<StoredPlant> {
  const values: (number | string)[] = [limit];
  const place = (value: string): string => `$${String(values.push(value))}`;
  const conditions = [
    after !== undefined && `id > ${place(after)}`,
    light !== undefined && `light = ${place(light)}`,
    available !== undefined && (available ? 'stock > 0' : 'stock = 0'),
    q !== undefined && `search LIKE ${place(`%${toSearch(q).replace(/[\\%_]/g, '\\$&')}%`)} ESCAPE '\\'`,
  ].filter((condition) => condition !== false);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  return { sql: `SELECT ${PLANT_COLUMNS} FROM plants ${where} ORDER BY id LIMIT $1`, values, toItem: toPlant };
}

/** Changes nothing when the plant has no longer this version. */
export function replacePlant(plant: Plant, version: number): Statement<StoredPlant> {
  return {
    sql: `UPDATE plants SET name = $3, botanical_name = $4, light = $5, cents = $6, stock = $7, tags = $8, search = $9,
      version = version + 1 WHERE id = $1 AND version = $2 RETURNING ${PLANT_COLUMNS}`,
    values: [plant.id, version, ...toColumns(plant)],
    toItem: toPlant,
  };
}

/** Takes plants out of the stock, if there are so many. */
export function takePlants(id: string, quantity: number): Statement<StoredPlant> {
  return {
    sql: `UPDATE plants SET stock = stock - $2, reserved = reserved + $2, version = version + 1
      WHERE id = $1 AND stock >= $2 RETURNING ${PLANT_COLUMNS}`,
    values: [id, quantity],
    toItem: toPlant,
  };
}

export function returnPlants(id: string, quantity: number): Statement<StoredPlant> {
  return {
    sql: `UPDATE plants SET stock = stock + $2, reserved = reserved - $2, version = version + 1
      WHERE id = $1 RETURNING ${PLANT_COLUMNS}`,
    values: [id, quantity],
    toItem: toPlant,
  };
}

/** Changes nothing when some are reserved. */
export function removePlant(id: string): Statement<StoredPlant> {
  return {
    sql: `DELETE FROM plants WHERE id = $1 AND reserved = 0 RETURNING ${PLANT_COLUMNS}`,
    values: [id],
    toItem: toPlant,
  };
}

interface ReservationRow {
  readonly id: string;
  readonly plant: string;
  readonly quantity: bigint;
  readonly customer: string | null;
  readonly made: string;
}

const RESERVATION_COLUMNS = 'id, plant, quantity, customer, made';

function toReservation({ quantity, customer, ...row }: ReservationRow): Reservation {
  return { ...row, quantity: Number(quantity), ...(customer !== null && { customer }) };
}

export function findReservation(plantId: string, id: string): Statement<Reservation> {
  return {
    sql: `SELECT ${RESERVATION_COLUMNS} FROM reservations WHERE id = $1 AND plant = $2`,
    values: [id, plantId],
    toItem: toReservation,
  };
}

/** Changes nothing when there is no such plant. */
export function addReservation({ id, plant, quantity, customer, made }: Reservation): Statement<Reservation> {
  return {
    sql: `INSERT INTO reservations (${RESERVATION_COLUMNS}) SELECT $1, id, $3, $4, $5 FROM plants WHERE id = $2 RETURNING ${RESERVATION_COLUMNS}`,
    values: [id, plant, quantity, customer ?? null, made],
    toItem: toReservation,
  };
}

export function removeReservation(id: string): Statement<Reservation> {
  return {
    sql: `DELETE FROM reservations WHERE id = $1 RETURNING ${RESERVATION_COLUMNS}`,
    values: [id],
    toItem: toReservation,
  };
}

const toPhoto = ({ type, bytes }: Photo): Photo => ({ type, bytes });

export function findPhoto(plantId: string): Statement<Photo> {
  return { sql: 'SELECT type, bytes FROM photos WHERE plant = $1', values: [plantId], toItem: toPhoto };
}

/** Changes nothing when there is no such plant. */
export function keepPhoto(plantId: string, { type, bytes }: Photo): Statement<string> {
  return {
    sql: `INSERT INTO photos (plant, type, bytes) SELECT id, $2, $3 FROM plants WHERE id = $1
      ON CONFLICT (plant) DO UPDATE SET type = excluded.type, bytes = excluded.bytes RETURNING plant`,
    values: [plantId, type, bytes],
    toItem: ({ plant }: { plant: string }) => plant,
  };
}

export function removePhoto(plantId: string): Statement<string> {
  return {
    sql: 'DELETE FROM photos WHERE plant = $1 RETURNING plant',
    values: [plantId],
    toItem: ({ plant }: { plant: string }) => plant,
    isOptional: true,
  };
}
