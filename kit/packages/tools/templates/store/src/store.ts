import type { Store, StoreSchema } from '@contract-kit/store';

/** The type of the items in each table that `store.add` writes, such as { books: Book }. Other tables need no entry. */
type Items = object;

/** The store that handlers use. The README of @contract-kit/store has examples of tables and statements. */
export type ServiceStore = Store<Items>;

/** The tables of this service. */
export const schema: StoreSchema<Items> = {
  name: 'service-store',
  id: 0x53746f72,
  versionTable: 'store_version',
  // Add migrations like { sql: 'CREATE TABLE books (id text PRIMARY KEY, title text)' }. Never change a released one.
  migrations: [],
  // Add tables like books: { columns: ['id', 'title'], key: ['id'] }.
  tables: {},
};
