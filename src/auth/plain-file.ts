import { closeSync, constants, fstatSync, openSync, readFileSync, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

/** What a path leads to, and whether it has changed. */
export interface FileState {
  /** Which file it is, whatever is in it; undefined when it is none. */
  readonly file: string | undefined;
  /** Another one when anything of it has changed. */
  readonly version: string;
}

/** A file as it was when it was read. */
export interface PlainFile extends FileState {
  readonly text: string;
  /** Whether every user of the machine may change it. */
  readonly isExposed: boolean;
}

// To open a pipe otherwise waits for a writer, and a terminal would become that of this process.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const NOT_A_FILE = 'is not a file';
const WRITABLE_BY_OTHERS = 0o002n;

/**
 * Reads a file without waiting for anything but the disk.
 *
 * @throws Error that says what the path leads to instead, or why it cannot be read
 */
export function readPlainFile(path: string): PlainFile {
  const descriptor = open(path);
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    if (!stats.isFile()) throw new Error(NOT_A_FILE);
    return {
      ...toState(stats),
      text: readFileSync(descriptor, 'utf8'),
      isExposed: (stats.mode & WRITABLE_BY_OTHERS) !== 0n,
    };
  } finally {
    closeSync(descriptor);
  }
}

/** The state of a path now. An error is a state as well. */
export async function statFile(path: string): Promise<FileState> {
  try {
    return toState(await stat(path, { bigint: true }));
  } catch (error) {
    return { file: undefined, version: (error as Error).message };
  }
}

function toState(stats: BigIntStats): FileState {
  const file = [stats.dev, stats.ino].join();
  return {
    file: stats.isFile() ? file : undefined,
    version: [file, stats.size, stats.mtimeNs, stats.ctimeNs].join(),
  };
}

function open(path: string): number {
  try {
    return openSync(path, FLAGS);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A socket.
    throw new Error(code === 'ENXIO' ? NOT_A_FILE : `cannot be read: ${message}`);
  }
}
