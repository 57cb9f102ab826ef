// Notices when a file of SQLite is removed, replaced or truncated by something else than SQLite.
// The thread imports this file: it may import only Node's modules, and files like this one by their full names.
import { realpathSync, statSync, truncateSync, type Stats } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

export interface FileGuard {
  /** Finds what happened to a file, such as `data/plants.db was removed`; after the first fault, always the same. */
  findFault(): string | undefined;
  /** The size of the write-ahead log. */
  countLogBytes(): number;
  /**
   * Moves the content of the log into the opened database file, wherever it is now, and closes the connection. While
   * that fails, or another program reads an older state, the connection stays open.
   */
  moveLogIntoFile(): void;
}

/** The device and inode, which identify a file whatever its path. */
export type FileIdentity = Pick<Stats, 'dev' | 'ino'>;

interface GuardedFile {
  readonly path: string;
  readonly identity: FileIdentity;
  /** The size at the last check. A smaller file is a fault, unless `mayShrinkTo` allows it. */
  size: number;
  /** Whether SQLite itself may have truncated the file to this size. */
  readonly mayShrinkTo: (size: number) => boolean;
}

// SQLite's file format, sections 4.1 and 4.2.
export const LOG_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;

/** The connection is in WAL mode and has read, so that its log exists. `identity` is that of the file that is meant. */
export function guardFiles(database: DatabaseSync, file: string, identity: FileIdentity): FileGuard {
  // SQLite creates -wal and -shm beside the file itself, even if the path is a link.
  const realPath = realpathSync(file);
  let dataVersion = readPragma('data_version');
  const log = guardFile(`${realPath}-wal`, mayLogShrinkTo);
  const index = guardFile(`${realPath}-shm`, () => false);
  const files = [{ ...guardFile(file, mayDatabaseShrinkTo), identity }, log, index];
  let fault: string | undefined;

  function readPragma(name: string, column = name): number {
    return Number(database.prepare(`PRAGMA ${name}`).get()?.[column]);
  }

  // Whether SQLite may have truncated the database to a size: VACUUM by another program does, and changes data_version, and
  // so does auto_vacuum. What came after it is in the log alone, of which -1 frames are known while another program moves
  // them.
  function mayDatabaseShrinkTo(size: number): boolean {
    const before = dataVersion;
    dataVersion = readPragma('data_version');
    if (size === 0 || (dataVersion === before && readPragma('auto_vacuum') === 0)) return false;
    const pages = readPragma('page_count');
    const frames = readPragma('wal_checkpoint(PASSIVE)', 'log');
    return frames < 0 || size >= (pages - frames) * readPragma('page_size');
  }

  // Whether SQLite may have truncated the log to a size: a checkpoint does, once the database file has the content.
  // This one returns how many frames the log still has, each a header and a page, after the header of the log.
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
        // SQLite maps the index of the log. Reading beyond the end of a mapped file would end the process (SIGBUS), so
        // a file that was truncated gets its size back.
        const indexSize = statSync(index.path, { throwIfNoEntry: false })?.size;
        if (Number(indexSize) < index.size) truncateSync(index.path, index.size);
        // Do not wait for the lock of another program.
        database.exec('PRAGMA busy_timeout = 0');
        if (readPragma('wal_checkpoint(TRUNCATE)', 'busy') === 0) database.close();
      } catch {
        // The next check tries again, and the last one when the connection closes.
      }
    },
  };
}

function isShrunkBySqlite({ mayShrinkTo }: GuardedFile, size: number): boolean {
  try {
    return mayShrinkTo(size);
  } catch {
    // SQLite throws an I/O error if the log lacks bytes that it reads.
    return false;
  }
}

function guardFile(path: string, mayShrinkTo: GuardedFile['mayShrinkTo']): GuardedFile {
  const stats = statSync(path);
  return { path, identity: stats, size: stats.size, mayShrinkTo };
}

/** Finds what another program did to a file; undefined if nothing, and then remembers its current size. */
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
