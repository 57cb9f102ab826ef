// The schema of a store: its tables, and the migrations that create them.
// A test runs this file in threads, so it may import only files like this one, by their full names.

/** A value that SQLite accepts for a column. */
export type SqliteValue = bigint | number | string | Uint8Array | null;

/** A value that PostgreSQL accepts for a column. */
export type PostgresValue = SqliteValue | boolean | Date;

/** How to turn items into rows. */
export type Rows<Item, Value> = {
  /** The columns or expressions of a unique index or primary key. A row with an existing key is ignored. */
  readonly key: readonly string[];
} & (
  | {
      /** Members of the items. A missing member is stored as null. */
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
 * A table, and how to turn items into its rows. Names of tables and columns are lower case and need no quotes. In PostgreSQL,
 * the key may have only columns that are not null: all servers store rows in its order, so that they never deadlock.
 *
 * @example const notes: Table<Note> = { columns: ['number', 'text'], key: ['number'] };
 */
export type Table<Item> =
  Rows<Item, SqliteValue> | { readonly sqlite: Rows<Item, SqliteValue>; readonly postgres: Rows<Item, PostgresValue> };

export function rowsOf<Item>(table: Table<Item>, engine: 'sqlite' | 'postgres') {
  const rows: Rows<Item, SqliteValue | PostgresValue> = 'columns' in table ? table : table[engine];
  const toRow = rows.toRow ?? ((item: Item) => rows.columns.map((column) => (item[column] ?? null) as SqliteValue));
  return { ...rows, toRow };
}

/** SQL that migrates the tables from one version to the next, in one transaction. */
export type Migration = MigrationSql & {
  /** Makes PostgreSQL run a single, repeatable statement without a transaction; with 'batches', until it changes no more rows. */
  readonly transaction?: false | 'batches';
  /** The oldest version whose servers can use the migrated tables. By default, none older than this can; they refuse to start. */
  readonly compatibleFrom?: number;
};

/** One statement for both engines, or one for each. */
type MigrationSql = { readonly sql: string } | Readonly<Record<'sqlite' | 'postgres', string>>;

/** The tables of a store. `Items` maps the name of each table to the type of its items. */
export interface StoreSchema<Items> {
  /** The name of the service, which is the `application_name` in PostgreSQL. */
  readonly name: string;
  /** The `application_id` of the SQLite file, and the number of PostgreSQL's advisory lock. */
  readonly id: number;
  readonly versionTable: string;
  /** The first creates version 1 in an empty database. Never change a released migration; add another one. */
  readonly migrations: readonly Migration[];
  /** The tables after the last migration. Each comes after the tables to which it refers. */
  readonly tables: { readonly [Name in keyof Items]: Table<Items[Name]> };
}

export type AnySchema = StoreSchema<Record<string, never>>;

/** A row to store: the index of its table in the schema, and a value for each column. */
export type Row<Value = SqliteValue | PostgresValue> = readonly [table: number, values: readonly Value[]];

/**
 * The version of the tables in a database. The first release knew only one number, and reads `compatibleFrom` as that: it is in
 * SQLite's `user_version`, and in the column `version` in PostgreSQL.
 */
export interface Version {
  /** How many migrations were applied. */
  readonly applied: number;
  /** The oldest version whose servers can use the tables. */
  readonly compatibleFrom: number;
}

/** A migration to apply, and the version to which it leads. */
export interface NextMigration extends Version, Pick<Migration, 'transaction'> {
  readonly sqlite: string;
  readonly postgres: string;
}

/**
 * Finds the first migration that is missing; undefined if there is none.
 *
 * @throws Error if this server cannot use the tables
 */
export function findNextMigration({ migrations }: AnySchema, version: Version | undefined): NextMigration | undefined {
  const { applied, compatibleFrom } = version ?? { applied: 0, compatibleFrom: 0 };
  const ownVersion = migrations.length;
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
