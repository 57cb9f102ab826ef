// Notices when a file of SQLite is removed, replaced or truncated by something else than SQLite.
// The thread imports this file: it may import only Node's modules, and files like this one by their full names.
import { realpathSync, statSync, truncateSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { createLogLooker, createStatLooker, type FileLook, type Looker } from './look-at-log.ts';

/** Detects that the open files of a connection are no longer those at their paths. */
export interface FileGuard {
  /** @returns what happened to a file; after the first fault, always the same */
  findFault(): string | undefined;
  /** The size of the write-ahead log. */
  countLogBytes(): number;
  /**
   * Moves the content of the log into the opened database file, wherever it is now, and closes the connection. While
   * that fails, or another program reads an older state, the connection stays open.
   */
  rescue(): void;
  /** Ends the guarding, when the connection is closed. */
  close(): void;
}

/** What tells a file from another one at its path. */
export type FileIdentity = Pick<FileLook, 'dev' | 'ino'>;

interface KnownFile {
  readonly path: string;
  readonly looker: Looker;
  readonly identity: FileIdentity;
  /** At the last check. A smaller file is a fault, unless `mayShrinkTo` allows it. */
  size: number;
  /** Whether SQLite itself may have truncated the file to this size. */
  readonly mayShrinkTo: (size: number) => boolean;
}

// SQLite's file format, sections 4.1 and 4.2.
const LOG_HEADER = 32;
const FRAME_HEADER = 24;

/**
 * Guards the files of a connection: the database, its write-ahead log and the index of the log.
 *
 * @param database a connection in WAL mode that has read, so that its log exists
 * @param identity of the file that is meant
 */
export function guardFiles(database: DatabaseSync, file: string, identity: FileIdentity): FileGuard {
  // SQLite creates -wal and -shm beside the file itself, even if the path is a link.
  const real = realpathSync(file);
  let version = readPragma('data_version');
  const log = createKnown(`${real}-wal`, mayLogShrinkTo, createLogLooker);
  const index = createKnown(`${real}-shm`, () => false);
  const files = [{ ...createKnown(file, mayFileShrinkTo), identity }, log, index];
  let fault: string | undefined;

  function readPragma(name: string, column = name): number {
    return Number(database.prepare(`PRAGMA ${name}`).get()?.[column]);
  }

  // VACUUM by another program truncates the file, and changes data_version.
  function mayFileShrinkTo(size: number): boolean {
    const before = version;
    version = readPragma('data_version');
    return version !== before && size > 0 && size >= readPragma('page_count') * readPragma('page_size');
  }

  // A checkpoint may truncate the log: its content is in the database file then.
  function mayLogShrinkTo(size: number): boolean {
    const frames = readPragma('wal_checkpoint(PASSIVE)', 'log');
    return frames === 0 || size >= LOG_HEADER + frames * (FRAME_HEADER + readPragma('page_size'));
  }

  return {
    findFault() {
      for (const known of files) fault ??= findFaultOf(known);
      return fault;
    },
    countLogBytes: () => log.size,
    rescue() {
      try {
        // Reading beyond the end of a mapped file would end the process (SIGBUS).
        if (Number(statSync(index.path, { throwIfNoEntry: false })?.size) < index.size)
          truncateSync(index.path, index.size);
        database.exec('PRAGMA busy_timeout = 0');
        if (readPragma('wal_checkpoint(TRUNCATE)', 'busy') === 0) database.close();
      } catch {
        // The next check tries again, and the last one when the connection closes.
      }
    },
    close() {
      for (const { looker } of files) looker.close();
    },
  };
}

function isShrunkBySqlite({ mayShrinkTo }: KnownFile, size: number): boolean {
  try {
    return mayShrinkTo(size);
  } catch {
    // SQLite throws an I/O error if the log lacks bytes that it reads.
    return false;
  }
}

function createKnown(path: string, mayShrinkTo: KnownFile['mayShrinkTo'], createLooker = createStatLooker): KnownFile {
  const stats = statSync(path);
  return { path, looker: createLooker(path), identity: stats, size: stats.size, mayShrinkTo };
}

/** Finds what happened to a file without SQLite, and otherwise remembers its size. */
function findFaultOf(known: KnownFile): string | undefined {
  const { path, looker, identity } = known;
  try {
    const now = looker.look();
    if (now === undefined) return `${path} was removed`;
    if (now.ino !== identity.ino || now.dev !== identity.dev) return `${path} was replaced`;
    if (now.size < known.size && !isShrunkBySqlite(known, now.size)) return `${path} was truncated`;
    known.size = now.size;
    return undefined;
  } catch (error) {
    return `${path} cannot be looked at: ${(error as Error).message}`;
  }
}
