import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type ColumnType,
  type Selectable,
} from 'kysely';
import type { Plant } from '../../generated/schemas';

// Integers are read as bigints.
type Integer = ColumnType<bigint, bigint | number, bigint | number>;

/** The columns of a plant, as the latest migration leaves them. */
export interface PlantTable {
  readonly id: string;
  readonly name: string;
  readonly botanical_name: string | null;
  readonly light: Plant['light'];
  readonly cents: Integer;
  readonly stock: Integer;
  readonly tags: string | null;
  /** What `q` of a list looks into. */
  readonly search: string;
  readonly added: string;
  readonly version: Integer;
  /** How many plants of this kind are in reservations. */
  readonly reserved: Integer;
}

interface PhotoTable {
  readonly plant: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

interface ReservationTable {
  readonly id: string;
  readonly plant: string;
  readonly quantity: Integer;
  readonly customer: string | null;
  readonly made: string;
}

export type PlantRow = Omit<Selectable<PlantTable>, 'search' | 'reserved'>;
export type ReservationRow = Selectable<ReservationTable>;

/** The tables of the nursery. */
export interface Tables {
  readonly plants: PlantTable;
  readonly photos: PhotoTable;
  readonly reservations: ReservationTable;
}

/** Makes queries, which both engines take. It has no connection: the store runs them. */
export const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
