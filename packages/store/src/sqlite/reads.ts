// Reads from a SQLite database.
// The thread imports this file: it may import only Node's modules, and files like this one by their full names.
import { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS, toFailure, type Entry, type Run } from './commit.ts';
import { createStatements } from './statements.ts';

/** Opens a prepared database to read it. A write-ahead log lets it read while another connection writes. */
export function openReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  // Not opened read-only: its index of the log is shared with those that write.
  database.exec('PRAGMA query_only = ON; SELECT 1 FROM sqlite_schema');
  return database;
}

/** Runs statements that read. Each sees what is on disk when it starts. */
export function createReads(database: DatabaseSync): Run {
  const run = createStatements(database);
  return (batch) =>
    batch.map((entry, index) => {
      try {
        const { statements } = entry as Extract<Entry, { statements: unknown }>;
        return { index, rows: statements.flatMap(({ text, values }) => run(text, values)) };
      } catch (error) {
        return toFailure(error, index);
      }
    });
}
