import type { Rows, StoreSchema } from '@contract-kit/store';
import type { Plant } from '../../generated/schemas';
import type { PlantTable } from './tables';

const COLUMNS = [
  'id',
  'name',
  'botanical_name',
  'light',
  'cents',
  'stock',
  'tags',
  'search',
  'added',
  'version',
  'reserved',
] as const satisfies (keyof PlantTable)[];

const plants: Rows<Plant, bigint | number | string | null> = {
  columns: COLUMNS,
  key: ['id'],
  toRow(plant) {
    const row = { id: plant.id, ...toColumns(plant), added: plant.added, version: FIRST_VERSION, reserved: 0 };
    return COLUMNS.map((column) => row[column]);
  },
};

export const FIRST_VERSION = 1;

/** The `maximum` of the contract. What is reserved counts too, since it may come back. */
export const MAX_STOCK = 1_000_000n;

/** The columns that a plant's changes change. */
export function toColumns({ name, botanicalName, light, cents, stock, tags }: Plant) {
  const search = toSearch([name, botanicalName ?? '', ...(tags ?? [])].join('\n'));
  return {
    name,
    botanical_name: botanicalName ?? null,
    light,
    cents,
    stock,
    tags: tags ? JSON.stringify(tags) : null,
    search,
  };
}

/** Text as it is searched: upper and lower case, and the letters of a ligature, are the same. */
export function toSearch(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** The tables of the nursery. A migration that changes a column changes its type in `tables.ts`, too. */
export const schema: StoreSchema<{ plants: Plant }> = {
  name: 'wildwood-nursery',
  // "Nurs"
  id: 0x4e757273,
  versionTable: 'nursery_version',
  migrations: [
    {
      sqlite: `
        CREATE TABLE plants (
          id TEXT PRIMARY KEY, name TEXT NOT NULL, botanical_name TEXT, light TEXT NOT NULL, cents INTEGER NOT NULL,
          stock INTEGER NOT NULL CHECK (stock >= 0), tags TEXT, search TEXT NOT NULL, added TEXT NOT NULL,
          version INTEGER NOT NULL, reserved INTEGER NOT NULL CHECK (reserved >= 0)) STRICT;
        CREATE TABLE photos (
          plant TEXT PRIMARY KEY REFERENCES plants, type TEXT NOT NULL, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE reservations (
          id TEXT PRIMARY KEY, plant TEXT NOT NULL REFERENCES plants, quantity INTEGER NOT NULL, customer TEXT,
          made TEXT NOT NULL) STRICT;
        CREATE INDEX reservations_of_plants ON reservations (plant)`,
      postgres: `
        CREATE TABLE plants (
          id text COLLATE "C" PRIMARY KEY, name text NOT NULL, botanical_name text, light text NOT NULL,
          cents integer NOT NULL, stock integer NOT NULL CHECK (stock >= 0), tags text, search text NOT NULL,
          added text NOT NULL, version integer NOT NULL, reserved integer NOT NULL CHECK (reserved >= 0));
        CREATE TABLE photos (
          plant text COLLATE "C" PRIMARY KEY REFERENCES plants, type text NOT NULL, bytes bytea NOT NULL);
        CREATE TABLE reservations (
          id text COLLATE "C" PRIMARY KEY, plant text COLLATE "C" NOT NULL REFERENCES plants, quantity integer NOT NULL,
          customer text, made text NOT NULL);
        CREATE INDEX reservations_of_plants ON reservations (plant)`,
    },
  ],
  tables: { plants },
};
