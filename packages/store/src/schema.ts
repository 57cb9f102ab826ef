// The schema of a store: its tables and their migrations.

/** What SQLite takes for a column. */
export type SqliteValue = bigint | number | string | Uint8Array | null;

/** What PostgreSQL takes for a column. */
export type PostgresValue = SqliteValue | boolean | Date;

/** How items become rows of one engine. */
export interface Rows<Item, Value> {
  readonly columns: readonly string[];
  /** Of a unique index or primary key, or its expressions. A row whose key is in the table is not stored again. */
  readonly key: readonly string[];
  /** @returns a value for each column */
  readonly toRow: (item: Item) => readonly Value[];
}

/** A table, and how items become its rows. Names of tables and columns are lower case, and need no quotes. */
export interface Table<Item> {
  readonly sqlite: Rows<Item, SqliteValue>;
  /** The key is columns alone, none of them null: all servers store rows in its order, so that they never deadlock. */
  readonly postgres: Rows<Item, PostgresValue>;
  /** How many bytes an item takes while it waits, roughly. */
  readonly bytesOf: (item: Item) => number;
}

/** SQL that takes the tables from one version to the next, in one transaction. */
export interface Migration {
  readonly sqlite: string;
  readonly postgres: string;
  /**
   * The oldest version whose servers can go on with the tables as this migration leaves them: start, read and write.
   * Older ones are refused at their start. Without it, all older ones are.
   */
  readonly compatibleFrom?: number;
}

/** The tables of a store. `Items` has the type of each table's items, by the table's name. */
export interface StoreSchema<Items> {
  /** The name of the service: connections to PostgreSQL have it as `application_name`. */
  readonly name: string;
  /** Marks the SQLite file (`application_id`), and is the number of PostgreSQL's advisory lock. */
  readonly id: number;
  /** The table that has the version. */
  readonly versionTable: string;
  /** The first one makes version 1 of an empty database. What was released is never changed: add another one. */
  readonly migrations: readonly Migration[];
  /** As the last migration leaves them. A table comes after those that it refers to. */
  readonly tables: { readonly [Name in keyof Items]: Table<Items[Name]> };
}

export type AnySchema = StoreSchema<Record<string, never>>;

/** What is stored: the index of its table in the schema, and a value for each column. */
export type Row<Value = SqliteValue | PostgresValue> = readonly [table: number, values: readonly Value[]];
