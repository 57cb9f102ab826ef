// Watches the size of SQLite's write-ahead log, and looks at it without asking for its times.
// The thread imports this file: it may import only Node's modules.
import { accessSync, closeSync, constants, openSync, readSync, readlinkSync, statSync, type Stats } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

export type FileState = Pick<Stats, 'dev' | 'ino' | 'size'>;

/** Looks at one path, to find whether another program has removed or replaced the file, or made it smaller. */
export interface FileProbe {
  /** @returns undefined when no file is there */
  readState(): FileState | undefined;
  close(): void;
}

/** Creates a looker that calls stat and keeps no file open. */
export function createStatProbe(path: string): FileProbe {
  return {
    readState: () => statSync(path, { throwIfNoEntry: false }),
    close() {
      // Nothing is open.
    },
  };
}

const CHUNK_BYTES = 65_536;
const FOLDER_OF_DESCRIPTORS = '/proc/self/fd';

/**
 * Looks at a write-ahead log. After a call of stat, Linux (from 6.13 on) gives the next write a time of its own, and
 * the sync of a commit then has to write that time, too: some 50 us more. This one reads the file instead, through a
 * descriptor that leaves the time of access alone, and asks Linux for the path that its descriptor has now.
 *
 * @returns a probe with stat on other systems, and where the file belongs to another user
 */
export function createLogProbe(path: string): FileProbe {
  const descriptor = openQuietly(path);
  if (descriptor === undefined) return createStatProbe(path);
  const link = `${FOLDER_OF_DESCRIPTORS}/${String(descriptor)}`;
  const openedPath = readlinkSync(link);
  const { dev, ino, size: openedSize } = statSync(path);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  // When it was read last.
  let size = openedSize;

  // Reads from the last known byte to the end, and updates `size`; returns false if that byte is missing.
  function readToEnd(fd: number): boolean {
    for (;;) {
      const start = Math.max(size - 1, 0);
      const read = readSync(fd, chunk, 0, chunk.length, start);
      if (read === 0 && size > 0) return false;
      size = start + read;
      if (read < chunk.length) return true;
    }
  }

  return {
    // Tells about the file at the path: the opened one while it is there and has only grown, or else what stat finds.
    readState() {
      // A removed file has a path that ends with " (deleted)", and a renamed one its new path.
      if (readlinkSync(link) === openedPath && readToEnd(descriptor)) return { dev, ino, size };
      const found = statSync(path, { throwIfNoEntry: false });
      size = found?.size ?? 0;
      return found;
    },
    close() {
      // SQLite locks the database and the index of the log, never the log: closing it releases no lock (fcntl(2)).
      closeSync(descriptor);
    },
  };
}

/** Opens a file so that reading it does not change its time of access. @returns undefined where that is impossible */
function openQuietly(path: string): number | undefined {
  try {
    // Only Linux has this folder.
    accessSync(FOLDER_OF_DESCRIPTORS);
    return openSync(path, constants.O_RDONLY | constants.O_NOATIME);
  } catch {
    return undefined;
  }
}

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
