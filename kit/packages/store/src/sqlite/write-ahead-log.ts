// Watches the size of SQLite's write-ahead log.
// The thread imports this file: it may import only Node's modules.
import type { DatabaseSync } from 'node:sqlite';

/** The largest size of a write-ahead log that can be emptied, except during larger transactions. */
export const MAX_LOG_BYTES = 64 * 1024 ** 2;

const MB = 1024 ** 2;

/**
 * Detects a program that reads for too long: SQLite cannot empty the log while a program reads an old state. The
 * returned function warns once, and again each time the size has doubled.
 */
export function watchLog(database: DatabaseSync, limit: number = MAX_LOG_BYTES): (bytes: number) => string | undefined {
  // Moves what it can from the log to the database, and returns how many pages the log has, and how many of them are
  // moved.
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  let warnAbove = limit;

  return function findWarning(bytes) {
    if (bytes <= limit) warnAbove = limit;
    if (bytes <= warnAbove) return undefined;
    const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number };
    // All of it is in the database file already: SQLite reuses the log.
    if (checkpointed === log) return undefined;
    warnAbove = 2 * bytes;
    return `the write-ahead log has ${String(Math.round(bytes / MB))} MB and keeps growing, because a program holds a read open that began before it grew`;
  };
}
