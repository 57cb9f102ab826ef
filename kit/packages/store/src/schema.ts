// The schema of a store: its tables, and the migrations that make them.
// A test runs this file in threads: it may import only files like this one by their full names.

/** A value that SQLite accepts for a column. */
export type SqliteValue = bigint | number | string | Uint8Array | null;

/** A value that PostgreSQL accepts for a column. */
export type PostgresValue = SqliteValue | boolean | Date;

/** How items become rows. */
export type Rows<Item, Value> = {
  /** The columns or expressions of a unique index or primary key. A row with an existing key is not stored again. */
  readonly key: readonly string[];
} & (
  | {
      /** Members of the items. A member that an item does not have is stored as null. */
      readonly columns: readonly (keyof Item & string)[];
      readonly toRow?: undefined;
    }
  | {
      readonly columns: readonly string[];
      /** @returns a value for each column */
      readonly toRow: (item: Item) => readonly Value[];
    }
);

/**
 * A table, and how items become its rows. Names of tables and columns are lower case, and need no quotes. In PostgreSQL
 * the key is columns alone, none of them null: all servers store rows in its order, so that they never deadlock.
 *
 * @example const notes: Table<Note> = { columns: ['number', 'text'], key: ['number'] };
 */
export type Table<Item> =
  Rows<Item, SqliteValue> | { readonly sqlite: Rows<Item, SqliteValue>; readonly postgres: Rows<Item, PostgresValue> };

/** The rows that a table has on one engine. */
export function rowsOf<Item>(table: Table<Item>, engine: 'sqlite' | 'postgres') {
  const rows: Rows<Item, SqliteValue | PostgresValue> = 'columns' in table ? table : table[engine];
  const toRow = rows.toRow ?? ((item: Item) => rows.columns.map((column) => (item[column] ?? null) as SqliteValue));
  return { ...rows, toRow };
}

/** SQL that takes the tables from one version to the next, in one transaction. */
export type Migration = MigrationSql & {
  /** PostgreSQL runs a single statement, which may be repeated, outside a transaction: in batches, until it changes no row. */
  readonly transaction?: false | 'batches';
  /**
   * The oldest version whose servers can go on with the tables as this migration leaves them: start, read and write.
   * Older ones are refused at their start. Without it, all older ones are.
   */
  readonly compatibleFrom?: number;
};

/** One text for both engines, or one for each. */
type MigrationSql = { readonly sql: string } | Readonly<Record<'sqlite' | 'postgres', string>>;

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
  /** The tables after the last migration; each comes after the tables that it refers to. */
  readonly tables: { readonly [Name in keyof Items]: Table<Items[Name]> };
}

export type AnySchema = StoreSchema<Record<string, never>>;

/** A row to store: the index of its table in the schema, and a value for each column. */
export type Row<Value = SqliteValue | PostgresValue> = readonly [table: number, values: readonly Value[]];

/**
 * The version of the tables in a database. SQLite has the oldest version in `user_version`, PostgreSQL in the column
 * `version`: there the first release, which knows only one number, looks for the version of the tables.
 */
export interface Version {
  /** How many migrations were applied. */
  readonly applied: number;
  /** The oldest version whose servers can use them. */
  readonly compatibleFrom: number;
}

/** A migration to apply, and the version that the tables have after it. */
export interface NextMigration extends Version, Pick<Migration, 'transaction'> {
  readonly sqlite: string;
  readonly postgres: string;
}

/**
 * Finds the migration after the first `applied` ones; undefined when none is missing. Each leads to a new version,
 * beginning with 1; servers of versions below `compatibleFrom` cannot use the tables.
 *
 * @throws Error when this server cannot use the tables
 */
export function findNextMigration({ migrations }: AnySchema, version: Version | undefined): NextMigration | undefined {
  const { applied, compatibleFrom } = version ?? { applied: 0, compatibleFrom: 0 };
  const ownVersion = migrations.length;
  // No release writes other numbers.
  const isPossible = compatibleFrom >= 1 && applied >= compatibleFrom;
  if (version !== undefined && !isPossible) {
    throw new Error(`it was written by another version (its format is ${String(compatibleFrom)})`);
  }
  if (compatibleFrom > ownVersion) {
    const reason = `the compatibleFrom of its migrations excludes version ${String(ownVersion)}`;
    throw new Error(`it was written by a newer version (its format is ${String(compatibleFrom)}): ${reason}`);
  }
  const migration = migrations[applied];
  if (migration === undefined) return undefined;
  const nextVersion = applied + 1;
  const { sqlite, postgres } = 'sql' in migration ? { sqlite: migration.sql, postgres: migration.sql } : migration;
  return {
    ...migration,
    sqlite,
    postgres,
    applied: nextVersion,
    compatibleFrom: Math.max(compatibleFrom, migration.compatibleFrom ?? nextVersion),
  };
}
