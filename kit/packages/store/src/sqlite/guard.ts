// Detects when something other than SQLite removes, replaces or truncates one of its files. The rule for imports in commit.ts
// also applies here.
import { realpathSync, statSync, truncateSync, type Stats } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

export interface FileGuard {
  /** Describes the first fault that was found, such as `data/plants.db was removed`. Later calls return it again. */
  findFault(): string | undefined;
  countLogBytes(): number;
  /**
   * Moves the content of the log into the open database file, even if that was renamed, and closes the connection. The connection
   * stays open if this fails, or while another program reads an older state.
   */
  moveLogIntoFile(): void;
}

/** Identifies a file regardless of its path. */
export type FileIdentity = Pick<Stats, 'dev' | 'ino'>;

interface GuardedFile {
  readonly path: string;
  readonly identity: FileIdentity;
  /** The size at the last check. */
  size: number;
  /** Whether SQLite itself might have truncated the file to this size. */
  readonly mayShrinkTo: (size: number) => boolean;
}

// The sizes of the headers in a log (SQLite file format, sections 4.1 and 4.2).
export const LOG_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;

/** Creates a FileGuard. @param database a connection in WAL mode that has already read something, so that its log exists */
export function guardFiles(database: DatabaseSync, file: string, identity: FileIdentity): FileGuard {
  // Even if the path is a link, SQLite creates its other files next to the file itself.
  const realPath = realpathSync(file);
  let dataVersion = readPragma('data_version');
  const log = guardFile(`${realPath}-wal`, mayLogShrinkTo);
  const index = guardFile(`${realPath}-shm`, () => false);
  const files = [{ ...guardFile(file, mayDatabaseShrinkTo), identity }, log, index];
  let fault: string | undefined;

  function readPragma(name: string, column = name): number {
    return Number(database.prepare(`PRAGMA ${name}`).get()?.[column]);
  }

  // VACUUM in another program truncates the database and changes data_version. auto_vacuum can also truncate it. Pages beyond
  // the end of the file are then in the log. The number of frames is -1 while another program moves them.
  function mayDatabaseShrinkTo(size: number): boolean {
    const before = dataVersion;
    dataVersion = readPragma('data_version');
    if (size === 0 || (dataVersion === before && readPragma('auto_vacuum') === 0)) return false;
    const pages = readPragma('page_count');
    const frames = readPragma('wal_checkpoint(PASSIVE)', 'log');
    return frames < 0 || size >= (pages - frames) * readPragma('page_size');
  }

  // A checkpoint can truncate the log once its content is in the database file. This one returns the number of frames left.
  function mayLogShrinkTo(size: number): boolean {
    const frames = readPragma('wal_checkpoint(PASSIVE)', 'log');
    return frames === 0 || size >= LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + readPragma('page_size'));
  }

  return {
    findFault() {
      for (const guardedFile of files) fault ??= findFaultOfFile(guardedFile);
      return fault;
    },
    countLogBytes: () => log.size,
    moveLogIntoFile() {
      try {
        // SQLite maps the index into memory, and reading beyond the end of a truncated file would end the process (SIGBUS).
        const indexSize = statSync(index.path, { throwIfNoEntry: false })?.size;
        if (Number(indexSize) < index.size) truncateSync(index.path, index.size);
        // This must not wait for another program's lock.
        database.exec('PRAGMA busy_timeout = 0');
        if (readPragma('wal_checkpoint(TRUNCATE)', 'busy') === 0) database.close();
      } catch {
        // The next check tries again.
      }
    },
  };
}

function isShrunkBySqlite({ mayShrinkTo }: GuardedFile, size: number): boolean {
  try {
    return mayShrinkTo(size);
  } catch {
    // If bytes are missing from the log, SQLite reports an I/O error.
    return false;
  }
}

function guardFile(path: string, mayShrinkTo: GuardedFile['mayShrinkTo']): GuardedFile {
  const stats = statSync(path);
  return { path, identity: stats, size: stats.size, mayShrinkTo };
}

function findFaultOfFile(file: GuardedFile): string | undefined {
  const { path, identity } = file;
  try {
    const current = statSync(path, { throwIfNoEntry: false });
    if (current === undefined) return `${path} was removed`;
    if (current.ino !== identity.ino || current.dev !== identity.dev) return `${path} was replaced`;
    if (current.size < file.size && !isShrunkBySqlite(file, current.size)) return `${path} was truncated`;
    file.size = current.size;
    return undefined;
  } catch (error) {
    return `${path} cannot be inspected: ${(error as Error).message}`;
  }
}
