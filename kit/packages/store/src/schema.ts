// Defines the schema of a store. Tests run this file in threads, so the rule for imports in sqlite/commit.ts also applies here.

/** A value that SQLite accepts for a column. */
export type SqliteValue = bigint | number | string | Uint8Array | null;

/** A value that PostgreSQL accepts for a column. */
export type PostgresValue = SqliteValue | boolean | Date;

/** Describes how items become rows. */
export type Rows<Item, Value> = {
  /** The columns or expressions of a unique index or primary key. A row whose key already exists is ignored. */
  readonly key: readonly string[];
} & (
  | {
      /** The names of the items' members. A missing member is stored as null. */
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
 * Describes a table and how items become its rows. Table and column names are lowercase and need no quotes. In PostgreSQL,
 * the columns of the key cannot be null, because all servers store rows in key order to avoid deadlocks.
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

/** Migrates the tables from one version to the next, in one transaction. */
export type Migration = MigrationSql & {
  /** Set for a single, repeatable statement in PostgreSQL without a transaction. 'batches' repeats it until no row changes. */
  readonly transaction?: false | 'batches';
  /** The oldest version whose servers can use the migrated tables. By default, all older servers refuse to start. */
  readonly compatibleFrom?: number;
};

type MigrationSql = { readonly sql: string } | Readonly<Record<'sqlite' | 'postgres', string>>;

/** The tables of a store. `Items` maps the name of each table to the type of its items. */
export interface StoreSchema<Items> {
  /** The name of the service, used as `application_name` in PostgreSQL. */
  readonly name: string;
  /** The `application_id` of the SQLite file, and the key of an advisory lock in PostgreSQL. */
  readonly id: number;
  readonly versionTable: string;
  /** The first migration creates version 1 in an empty database. Never change a released migration. Add another one instead. */
  readonly migrations: readonly Migration[];
  /** The tables after the last migration. A table must follow the tables that it references. */
  readonly tables: { readonly [Name in keyof Items]: Table<Items[Name]> };
}

export type AnySchema = StoreSchema<Record<string, never>>;

/** The index of the row's table in the schema, and a value for each column. */
export type Row<Value = SqliteValue | PostgresValue> = readonly [table: number, values: readonly Value[]];

/**
 * The version of the tables in a database. The first release stored a single number, in SQLite's `user_version` and in
 * PostgreSQL's column `version`. They now contain `compatibleFrom`, so that the first release still checks it.
 */
export interface Version {
  /** The number of migrations that have been applied. */
  readonly applied: number;
  /** The oldest version whose servers can use the tables. */
  readonly compatibleFrom: number;
}

/** A migration to apply, and the resulting version. */
export interface NextMigration extends Version, Pick<Migration, 'transaction'> {
  readonly sqlite: string;
  readonly postgres: string;
}

/**
 * Finds the first migration that has not been applied; undefined if there is none.
 *
 * @throws Error if this server cannot use the tables
 */
export function findNextMigration({ migrations }: AnySchema, version: Version | undefined): NextMigration | undefined {
  const { applied, compatibleFrom } = version ?? { applied: 0, compatibleFrom: 0 };
  const ownVersion = migrations.length;
  const isValidVersion = compatibleFrom >= 1 && applied >= compatibleFrom;
  if (version !== undefined && !isValidVersion) {
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
