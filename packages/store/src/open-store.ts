import type { EngineStore } from './engine-store';
import { openPostgres } from './postgres/open-postgres';
import type { AnySchema, PostgresValue, Rows, SqliteValue, StoreSchema, Table } from './schema';
import { openSqlite } from './sqlite/open-sqlite';
import { bytesOf, toSql, type Engine, type Statement } from './statement';
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
      ? createStore(await openSqlite(location.file, any, observer), 'sqlite', any, ({ sqlite }) => sqlite)
      : createStore(await openPostgres(location.servers, any, observer), 'postgres', any, ({ postgres }) => postgres);
  return { ...others, add: add as Store<Items>['add'] };
}

function createStore<Value extends SqliteValue | PostgresValue>(
  store: EngineStore<Value>,
  engine: Engine,
  { tables }: AnySchema,
  rowsOf: (table: Table<never>) => Rows<never, Value>,
): Store<Record<string, never>> {
  const writers = Object.entries(tables).map(([name, table], place) => {
    const { toRow } = rowsOf(table);
    return [name, (item: never) => store.add([place, toRow(item)], table.bytesOf(item))] as const;
  });
  return {
    ...store,
    add: Object.fromEntries(writers),
    async read<Item>(statement: Statement<Item>) {
      const rows = await store.read(toSql(statement, engine), bytesOf(statement));
      return rows.map((row) => statement.toItem(row as never));
    },
    async write<Item>(...statements: readonly [...Statement<unknown>[], Statement<Item>]) {
      const bytes = statements.reduce((sum, statement) => sum + bytesOf(statement), 0);
      const sql = statements.map((statement) => toSql(statement, engine));
      const rows = await store.write(sql, bytes);
      const last = statements.at(-1) as Statement<Item>;
      return rows.map((row) => last.toItem(row as never));
    },
  };
}
