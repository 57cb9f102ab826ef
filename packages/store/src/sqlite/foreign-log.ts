// Finds a write-ahead log that belongs to another file than the one beside it, such as the file before a restore.
// A test runs this file in processes: it may import only Node's modules, and files like this one by their full names.
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { FRAME_HEADER_BYTES, LOG_HEADER_BYTES } from './guard.ts';

/**
 * Looks at a database that SQLite has not opened yet, since SQLite applies each log that it finds: that would undo the
 * restore of a backup, or mix both files. A log that may be the file's own passes.
 *
 * @throws Error when the log belongs to another file for certain
 */
export function assertOwnLog(file: string): void {
  const foreignLog = findForeignLog(file);
  if (foreignLog === undefined) return;
  const names = `${foreignLog} and ${foreignLog.replace(/wal$/, 'shm')}`;
  throw new Error(`${foreignLog} belongs to another database file, such as the one before a restore: remove ${names}`);
}

function findForeignLog(file: string): string | undefined {
  try {
    // SQLite looks for it beside the file itself, even if the path is a link.
    const logPath = `${realpathSync(file)}-wal`;
    // In this order: another server may write meanwhile, and the counter of the file only grows.
    const log = readStart(logPath);
    const { format, counter } = readHeader(file);
    const isForeign = format === ROLLBACK_FORMAT || (counter > 0 && isBegunAfter(log, counter));
    return isForeign && statSync(logPath).size > 0 ? logPath : undefined;
  } catch {
    // There is no log, or SQLite reports why the file cannot be read.
    return undefined;
  }
}

// SQLite's file format, section 1.3: the format, and the change counter. SQLite makes the format 2 before it creates a
// log, and 1 after it has removed that.
const ROLLBACK_FORMAT = 1;
const FORMAT_OFFSET = 19;
const COUNTER_OFFSET = 24;
const HEADER_BYTES = 100;

// By device and inode. They stay open: closing one would release the locks that SQLite has on the file in this process
// (fcntl(2)).
const descriptors = new Map<string, number>();

function readHeader(file: string): { format: number | undefined; counter: number } {
  const { dev, ino } = statSync(file);
  const key = `${String(dev)}:${String(ino)}`;
  const descriptor = descriptors.get(key) ?? openSync(file, 'r');
  descriptors.set(key, descriptor);
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(descriptor, header, 0, HEADER_BYTES, 0);
  return { format: header[FORMAT_OFFSET], counter: header.readUInt32BE(COUNTER_OFFSET) };
}

// About 1,000 pages, after which SQLite begins to empty a log. More would make the start slower.
const START_BYTES = 4 * 1024 ** 2;

function readStart(logPath: string): Buffer {
  // SQLite locks the database and the index of the log, never the log: closing it releases no lock.
  const descriptor = openSync(logPath, 'r');
  const start = Buffer.allocUnsafe(START_BYTES);
  const bytes = readSync(descriptor, start, 0, START_BYTES, 0);
  closeSync(descriptor);
  return start.subarray(0, bytes);
}

/**
 * Finds whether the counter of a file was larger when the log was begun: a connection that writes page 1 has read it
 * before, and adds 1 to its counter. Section 4 of the file format says what the log is, and which frames count.
 */
function isBegunAfter(log: Buffer, counter: number): boolean {
  if (log.length < LOG_HEADER_BYTES) return false;
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  const frames: Buffer[] = [];
  for (let start = LOG_HEADER_BYTES; start + frameBytes <= log.length; start += frameBytes) {
    const frame = log.subarray(start, start + frameBytes);
    if (!frame.subarray(8, 16).equals(salts)) break;
    frames.push(frame);
  }
  const first = frames.findIndex((frame) => frame.readUInt32BE(0) === 1);
  const firstCounter = frames[first]?.readUInt32BE(FRAME_HEADER_BYTES + COUNTER_OFFSET) ?? 0;
  if (counter >= firstCounter - 1) return false;
  const commit = frames.findIndex((frame, index) => index >= first && frame.readUInt32BE(4) > 0);
  return commit >= first && areWhole(log, frames.slice(0, commit + 1));
}

function areWhole(log: Buffer, frames: readonly Buffer[]): boolean {
  const addToSums = createSums((log.readUInt32BE(0) & 1) === 1);
  addToSums(log.subarray(0, 24));
  return frames.every((frame) => {
    addToSums(frame.subarray(0, 8));
    const [first, second] = addToSums(frame.subarray(FRAME_HEADER_BYTES));
    return frame.readInt32BE(16) === first && frame.readInt32BE(20) === second;
  });
}

// The checksums of a log go on from frame to frame. Signed integers are the fast ones.
function createSums(isBigEndian: boolean): (bytes: Buffer) => readonly [number, number] {
  let first = 0;
  let second = 0;
  return (bytes) => {
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let offset = 0; offset < bytes.length; offset += 8) {
      first = (first + words.getInt32(offset, !isBigEndian) + second) | 0;
      second = (second + words.getInt32(offset + 4, !isBigEndian) + first) | 0;
    }
    return [first, second];
  };
}
