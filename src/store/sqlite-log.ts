// Imported by the thread: it may import nothing but what comes with Node.
import type { DatabaseSync } from 'node:sqlite';

/** What a write-ahead log takes at most while nothing keeps it from being emptied, but for larger transactions. */
export const LOG_BYTES = 64 * 1024 ** 2;

const MB = 1024 ** 2;

/**
 * Notices a program that reads without an end: a log cannot be emptied while an old state of the database is read.
 *
 * @returns looks at the size of the log, in bytes; the warning, once, and again each time that the size has doubled
 */
export function watchLog(database: DatabaseSync, limit: number = LOG_BYTES): (bytes: number) => string | undefined {
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  let next = limit;

  return function findWarning(bytes) {
    if (bytes <= limit) next = limit;
    if (bytes <= next) return undefined;
    const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number };
    if (checkpointed === log) return undefined;
    next = 2 * bytes;
    return `the write-ahead log has ${String(Math.round(bytes / MB))} MB and grows: a program has been reading the database since before it was that large`;
  };
}
