// Watches the size of SQLite's write-ahead log. The rule for imports in commit.ts also applies here.
import type { DatabaseSync } from 'node:sqlite';

/** SQLite truncates an emptied write-ahead log to this size. */
export const MAX_LOG_BYTES = 64 * 1024 ** 2;

const MB = 1024 ** 2;

/**
 * Detects a program that reads an old state for too long and thereby prevents SQLite from emptying the log. The returned
 * function warns once, and again whenever the size has doubled.
 */
export function watchLog(database: DatabaseSync, limit: number = MAX_LOG_BYTES): (bytes: number) => string | undefined {
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  let warnAbove = limit;

  return function findWarning(bytes) {
    if (bytes <= limit) warnAbove = limit;
    if (bytes <= warnAbove) return undefined;
    const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number };
    // SQLite reuses a log whose content is all in the database.
    if (checkpointed === log) return undefined;
    warnAbove = 2 * bytes;
    return `the write-ahead log has ${String(Math.round(bytes / MB))} MB and keeps growing, because a program holds a read open that began before it grew`;
  };
}
