import { closeSync, constants, fstatSync, openSync, readFileSync, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

/** The identity and the version of the file at a path. */
export interface FileState {
  /** Identifies the file, independent of its content; undefined if there is no file. */
  readonly file: string | undefined;
  /** Differs after any change of the file. */
  readonly version: string;
}

export interface PlainFile extends FileState {
  readonly text: string;
  /** Whether every user of the machine may write to it. */
  readonly isExposed: boolean;
}

// Without these flags, opening a pipe would wait for a writer, and a terminal would become the controlling one.
const READ_WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const NOT_A_FILE = 'is not a file';
const WRITABLE_BY_ALL_USERS = 0o002n;

/** Never blocks on a pipe or a device. Throws an Error when the path is not a regular file, or cannot be read. */
export function readPlainFile(path: string): PlainFile {
  const descriptor = openWithoutWaiting(path);
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    if (!stats.isFile()) throw new Error(NOT_A_FILE);
    return {
      ...toState(stats),
      text: readFileSync(descriptor, 'utf8'),
      isExposed: (stats.mode & WRITABLE_BY_ALL_USERS) !== 0n,
    };
  } finally {
    closeSync(descriptor);
  }
}

/** If the path cannot be read, `version` is the error's message, so that it changes with the error too. */
export async function statFile(path: string): Promise<FileState> {
  try {
    return toState(await stat(path, { bigint: true }));
  } catch (error) {
    return { file: undefined, version: (error as Error).message };
  }
}

// Makes two texts to compare: device and inode identify a file; size and times tell its versions apart.
function toState(stats: BigIntStats): FileState {
  const identity = [stats.dev, stats.ino].join();
  return {
    file: stats.isFile() ? identity : undefined,
    version: [identity, stats.size, stats.mtimeNs, stats.ctimeNs].join(),
  };
}

// Throws an Error with the reason, to follow the name of a setting.
function openWithoutWaiting(path: string): number {
  try {
    return openSync(path, READ_WITHOUT_WAITING);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // open(2) fails with ENXIO for a socket.
    throw new Error(code === 'ENXIO' ? NOT_A_FILE : `cannot be read: ${message}`);
  }
}
