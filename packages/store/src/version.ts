// Says which migration comes next, and which servers can use the tables.
// A test runs this file in threads: it may import only files like this one by their full names.
import type { AnySchema, Migration } from './schema.ts';

/**
 * What a database says of its tables. SQLite has the oldest version in `user_version`, PostgreSQL in the column
 * `version`: there the first release, which knows only one number, looks for the version of the tables.
 */
export interface Version {
  /** How many migrations made the tables. */
  readonly made: number;
  /** The oldest version whose servers can use them. */
  readonly oldest: number;
}

/** A migration that is to be made, and the version that it leaves. */
export interface Step extends Migration, Version {}

/**
 * @param version of the database, or undefined when it is empty
 * @returns the next migration, if there is one
 * @throws Error when this server cannot use the tables
 */
export function findStep({ migrations }: AnySchema, version: Version | undefined): Step | undefined {
  const { made, oldest } = version ?? { made: 0, oldest: 0 };
  const known = migrations.length;
  if (version !== undefined && !(oldest >= 1 && made >= oldest)) {
    throw new Error(`it was written by another version (its format is ${String(oldest)})`);
  }
  if (oldest > known) throw new Error(`it was written by a newer version (its format is ${String(oldest)})`);
  const migration = migrations[made];
  if (migration === undefined) return undefined;
  return { ...migration, made: made + 1, oldest: Math.max(oldest, migration.compatibleFrom ?? made + 1) };
}
