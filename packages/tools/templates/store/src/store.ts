import type { Store, StoreSchema } from '@contract-kit/store';

/** The items that `store.add` takes, by their table: { books: Book }. A table that only statements use is not listed. */
type Items = object;

/** What handlers work with. The README of @contract-kit/store has examples of tables and statements. */
export type ServiceStore = Store<Items>;

/** The tables of this service. */
export const schema: StoreSchema<Items> = {
  name: 'service-store',
  id: 0x53746f72,
  versionTable: 'store_version',
  // The first makes tables: { sqlite: 'CREATE TABLE ...', postgres: 'CREATE TABLE ...' }. A released one is never changed.
  migrations: [],
  tables: {},
};
