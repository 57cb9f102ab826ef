import type { Store, StoreSchema } from '@contract-kit/store';

/** The items that `store.add` takes, by table: { books: Book }. Leave out tables that only statements use. */
type Items = object;

/** The store that handlers get. The README of @contract-kit/store has examples of tables and statements. */
export type ServiceStore = Store<Items>;

/** The tables of this service. */
export const schema: StoreSchema<Items> = {
  name: 'service-store',
  id: 0x53746f72,
  versionTable: 'store_version',
  // The first one creates the tables: { sqlite: 'CREATE TABLE ...', postgres: 'CREATE TABLE ...' }. Never change a
  // migration that is released.
  migrations: [],
  tables: {},
};
