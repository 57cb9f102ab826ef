import type { Statement } from '@contract-kit/store';
import type { Selectable } from 'kysely';
import type { Plant, Reservation } from '../../generated/schemas';
import type { Filter, Photo, StoredPlant } from './nursery-store';
import { toColumns, toSearch } from './schema';
import { db, type PlantRow, type PlantTable, type ReservationRow } from './tables';

const PLANT = ['id', 'name', 'botanical_name', 'light', 'cents', 'stock', 'tags', 'added', 'version'] as const;
const COLUMNS = PLANT.join();

export function toPlant(row: PlantRow): StoredPlant {
  const { id, name, botanical_name: botanicalName, light, cents, stock, tags, added, version } = row;
  const plant = {
    id,
    name,
    ...(botanicalName !== null && { botanicalName }),
    light,
    cents: Number(cents),
    stock: Number(stock),
    ...(tags !== null && { tags: JSON.parse(tags) as string[] }),
    added,
  };
  return { plant, version: Number(version) };
}

// What is read most is written by hand: Kysely would build and compile it again for each request.
export const findPlant = (id: string): Statement<PlantRow & Pick<Selectable<PlantTable>, 'reserved'>> => ({
  sql: `SELECT ${COLUMNS}, reserved FROM plants WHERE id = $1`,
  values: [id],
  toItem: (row) => row,
});

/** In the order of their ids, which is the order in which they were added. */
export function listPlants({ q, light, available, after }: Filter, limit: number): Statement<PlantRow> {
  const values: (number | string)[] = [];
  const bind = (value: number | string): string => `$${String(values.push(value))}`;
  const conditions = ['true'];
  if (after !== undefined) conditions.push(`id > ${bind(after)}`);
  if (light !== undefined) conditions.push(`light = ${bind(light)}`);
  if (available !== undefined) conditions.push(`stock ${available ? '>' : '='} 0`);
  if (q !== undefined)
    conditions.push(`search LIKE ${bind(`%${toSearch(q).replace(/[\\%_]/g, '\\$&')}%`)} ESCAPE '\\'`);
  const sql = `SELECT ${COLUMNS} FROM plants WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ${bind(limit)}`;
  return { sql, values, toItem: (row) => row };
}

export const replacePlant = (plant: Plant) =>
  db
    .updateTable('plants')
    .set((row) => ({ ...toColumns(plant), version: row('version', '+', 1n) }))
    .where('id', '=', plant.id)
    .returning(PLANT);

/** Takes plants out of the stock, if there are so many; a negative number puts them back. */
export const takePlants = (id: string, quantity: bigint | number) =>
  db
    .updateTable('plants')
    .set((row) => ({
      stock: row('stock', '-', BigInt(quantity)),
      reserved: row('reserved', '+', BigInt(quantity)),
      version: row('version', '+', 1n),
    }))
    .where('id', '=', id)
    .where('stock', '>=', BigInt(quantity))
    .returning(PLANT);

export const removePlant = (id: string) => db.deleteFrom('plants').where('id', '=', id);

export function toReservation({ quantity, customer, ...row }: ReservationRow): Reservation {
  return { ...row, quantity: Number(quantity), ...(customer !== null && { customer }) };
}

export const findReservation = (plantId: string, id: string) =>
  db.selectFrom('reservations').selectAll().where('id', '=', id).where('plant', '=', plantId);

export const addReservation = ({
  customer = null,
  ...reservation
}: Omit<Reservation, 'customer'> & { customer?: string | null }) =>
  db.insertInto('reservations').values({ ...reservation, customer });

export const removeReservation = (plantId: string, id: string) =>
  db.deleteFrom('reservations').where('id', '=', id).where('plant', '=', plantId).returning('quantity');

export const findPhoto = (plantId: string) =>
  db.selectFrom('photos').select(['type', 'bytes']).where('plant', '=', plantId);

export const keepPhoto = (plant: string, photo: Photo) =>
  db
    .insertInto('photos')
    .values({ plant, ...photo })
    .onConflict((conflict) => conflict.column('plant').doUpdateSet(photo));

export const removePhoto = (plantId: string) => db.deleteFrom('photos').where('plant', '=', plantId);
