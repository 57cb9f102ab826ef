// Reads from a SQLite database.
// The thread imports this file: it may import only Node's modules, and files like this one by their full names.
import { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS, toFailure, type Entry, type Run } from './commit.ts';
import { createStatements } from './statements.ts';

/** Opens a database that has its tables, to read it. A write-ahead log lets it read while another connection writes. */
export function openReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  // Not opened read-only, since a reader writes to the index of the log, too. The first read creates the log.
  database.exec('PRAGMA query_only = ON; SELECT 1 FROM sqlite_schema');
  return database;
}

/** Creates the function that runs a batch of statements that read. Each sees what is on disk when it starts. */
export function createReads(database: DatabaseSync): Run {
  const run = createStatements(database);
  return (batch) =>
    batch.map((entry, index) => {
      try {
        // The other kind of entries, rows to store, is never given to a reader.
        const { statements } = entry as Extract<Entry, { statements: unknown }>;
        return { index, rows: statements.flatMap(({ text, values }) => run(text, values)) };
      } catch (error) {
        return toFailure(error, index);
      }
    });
}
