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
  readonly compatibleFrom: number;
}

/** A migration to apply, and the version that the tables have after it. */
export interface NextMigration extends Omit<Migration, 'compatibleFrom'>, Version {}

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
    throw new Error(`it was written by a newer version (its format is ${String(compatibleFrom)})`);
  }
  const migration = migrations[applied];
  if (migration === undefined) return undefined;
  const nextVersion = applied + 1;
  return {
    ...migration,
    applied: nextVersion,
    compatibleFrom: Math.max(compatibleFrom, migration.compatibleFrom ?? nextVersion),
  };
}
