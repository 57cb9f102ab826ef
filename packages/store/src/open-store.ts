import { openPostgres } from './postgres/open-postgres';
import type { EngineStore } from './queue';
import type { AnySchema, PostgresValue, Rows, SqliteValue, StoreSchema, Table } from './schema';
import { openSqlite } from './sqlite/open-sqlite';
import { bytesOf, toSql, type Engine, type Statement } from './statement';
import type { Store, StoreObserver } from './store';
import type { StoreLocation } from './store-location';

/**
 * Opens a store: creates missing tables, and migrates those of an older version. Any number of servers may do so at the
 * same time.
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
  // The types of the items do not matter below this function.
  const anySchema = schema as unknown as AnySchema;
  const { add, ...others } =
    'file' in location
      ? createStore(await openSqlite(location.file, anySchema, observer), 'sqlite', anySchema, ({ sqlite }) => sqlite)
      : createStore(
          await openPostgres(location.servers, anySchema, observer),
          'postgres',
          anySchema,
          ({ postgres }) => postgres,
        );
  return { ...others, add: add as Store<Items>['add'] };
}

// `rowsOf` chooses the columns that a table has on this engine, and how items become its rows.
function createStore<Value extends SqliteValue | PostgresValue>(
  store: EngineStore<Value>,
  engine: Engine,
  { tables }: AnySchema,
  rowsOf: (table: Table<never>) => Rows<never, Value>,
): Store<Record<string, never>> {
  // An engine knows a table by its index in the schema.
  const adders = Object.entries(tables).map(([name, table], index) => {
    const { toRow } = rowsOf(table);
    return [name, (item: never) => store.add([index, toRow(item)], table.bytesOf(item))] as const;
  });
  return {
    ...store,
    add: Object.fromEntries(adders),
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
