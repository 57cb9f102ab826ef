// Finds the next migration, and refuses servers that cannot use the tables.
// A test runs this file in threads: it may import only files like this one by their full names.
import type { AnySchema, Migration } from './schema.ts';

/**
 * The version of the tables in a database. SQLite has the oldest version in `user_version`, PostgreSQL in the column
 * `version`: there the first release, which knows only one number, looks for the version of the tables.
 */
export interface Version {
  /** How many migrations were applied. */
  readonly applied: number;
  /** The oldest version whose servers can use them. */
  readonly oldest: number;
}

/** A migration to apply, and the version that the tables have after it. */
export interface Step extends Migration, Version {}

/**
 * Finds the next migration.
 *
 * @param version of the database, or undefined when it is empty
 * @returns undefined when none is missing
 * @throws Error when this server cannot use the tables
 */
export function findStep({ migrations }: AnySchema, version: Version | undefined): Step | undefined {
  const { applied, oldest } = version ?? { applied: 0, oldest: 0 };
  const known = migrations.length;
  if (version !== undefined && !(oldest >= 1 && applied >= oldest)) {
    throw new Error(`it was written by another version (its format is ${String(oldest)})`);
  }
  if (oldest > known) throw new Error(`it was written by a newer version (its format is ${String(oldest)})`);
  const migration = migrations[applied];
  if (migration === undefined) return undefined;
  return { ...migration, applied: applied + 1, oldest: Math.max(oldest, migration.compatibleFrom ?? applied + 1) };
}
