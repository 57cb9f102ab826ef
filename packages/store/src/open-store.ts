import type { RowStore } from './group-commit';
import { openPostgres } from './postgres/open-postgres';
import type { AnySchema, PostgresValue, Rows, SqliteValue, StoreSchema, Table } from './schema';
import { openSqlite } from './sqlite/open-sqlite';
import type { Store, StoreObserver } from './store';
import type { StoreLocation } from './store-location';

/**
 * Opens a store. Tables that are missing are made, and those of an older version migrated. Any number of servers may do
 * so at the same time.
 *
 * @throws StoreUnavailable, with a message of one line, when the store cannot be used
 * @example
 * const store = await openStore(parseLocation('file:data/notes.db'), schema);
 * await store.add.notes({ id: 1, text: 'Milk' });
 */
export async function openStore<Items>(
  location: StoreLocation,
  schema: StoreSchema<Items>,
  observer: StoreObserver = {},
): Promise<Store<Items>> {
  const any = schema as unknown as AnySchema;
  const { add, ...others } =
    'file' in location
      ? createWriters(openSqlite(location.file, any, observer), any, ({ sqlite }) => sqlite)
      : createWriters(await openPostgres(location.servers, any, observer), any, ({ postgres }) => postgres);
  return { ...others, add: add as Store<Items>['add'] };
}

function createWriters<Value extends SqliteValue | PostgresValue>(
  store: RowStore<Value>,
  { tables }: AnySchema,
  rowsOf: (table: Table<never>) => Rows<never, Value>,
): Store<Record<string, never>> {
  const writers = Object.entries(tables).map(([name, table], place) => {
    const { toRow } = rowsOf(table);
    return [name, (item: never) => store.add([place, toRow(item)], table.bytesOf(item))] as const;
  });
  return { ...store, add: Object.fromEntries(writers) };
}
