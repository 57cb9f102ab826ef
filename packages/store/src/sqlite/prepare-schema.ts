// Prepares the tables of a SQLite database.
// A test runs this file in processes: it may import only Node's modules, and files like this one by their full names.
import { DatabaseSync } from 'node:sqlite';
import type { AnySchema } from '../schema.ts';
import { BUSY_TIMEOUT_MS, createCommit } from './commit.ts';
import { makeFile } from './make-file.ts';
import { BUSY, migrate, type Waiting } from './migrate.ts';

/** The SQL that stores a row, for each table in the order of the schema. */
export function toInserts({ tables }: AnySchema): string[] {
  return Object.entries(tables).map(([table, { sqlite }]) => {
    const columns = sqlite.columns.join(', ');
    const placeholders = sqlite.columns.map(() => '?').join(', ');
    // Ignore only a conflict with the same key: with an index that was added later, other rows may conflict.
    return `INSERT INTO ${table} (${columns}) VALUES (${placeholders}) ON CONFLICT (${sqlite.key.join(', ')}) DO NOTHING`;
  });
}

/**
 * Creates the database file, with its folder, if it is missing, and makes or migrates its tables. Any number of servers
 * may do so at the same time.
 *
 * @throws Error when the file cannot be used; it is not changed then
 */
export async function prepareSchema(file: string, schema: AnySchema, waiting: Waiting = {}): Promise<void> {
  makeFile(file);
  // Without foreign keys a migration can make a table anew: dropping the old one would delete what refers to it.
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false });
  try {
    await migrate(database, schema, waiting);
    // SQLite prepares the statements, and so fails now if a column or key is missing.
    createCommit(database, toInserts(schema));
    useWriteAheadLog(database);
  } finally {
    database.close();
  }
}

// Makes SQLite write a log ahead of the database file, now and at each later opening. Tries again: if several servers
// do this at the same time, SQLite fails some with BUSY instead of waiting.
function useWriteAheadLog(database: DatabaseSync): void {
  for (const deadline = Date.now() + BUSY_TIMEOUT_MS; ;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      /* istanbul ignore else: a matter of microseconds between processes */
      if ((error as { errcode?: number }).errcode !== BUSY || Date.now() > deadline) throw error;
    }
  }
}
