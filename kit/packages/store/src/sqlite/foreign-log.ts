// Finds a write-ahead log that belongs to another file than the one beside it, such as the file before or after a restore.
// A test runs this file in processes: it may import only Node's modules, and files like this one by their full names.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { FRAME_HEADER_BYTES, LOG_HEADER_BYTES } from './guard.ts';

/**
 * Looks at a database that SQLite has not opened yet, since SQLite applies each log that it finds: that would undo the
 * restore of a backup, or mix both files. A log that may be the file's own passes.
 *
 * @throws Error when the log belongs to another file, or to another time of it, for certain
 */
export function assertOwnLog(file: string): void {
  const foreignLog = findForeignLog(file);
  if (foreignLog === undefined) return;
  const names = `${foreignLog} and ${foreignLog.replace(/wal$/, 'shm')}`;
  throw new Error(`${foreignLog} belongs to another database file, or to this one at another time: remove ${names}`);
}

function findForeignLog(file: string): string | undefined {
  try {
    // SQLite looks for it beside the file itself, even if the path is a link.
    const logPath = `${realpathSync(file)}-wal`;
    const before = readHeader(file);
    const log = readStart(logPath, START_BYTES);
    const salts = toSalts(readStart(logPath, LOG_HEADER_BYTES));
    const header = readHeader(file);
    const frames = toFrames(log);
    const counter = header.readUInt32BE(COUNTER_OFFSET);
    // Another server may write meanwhile. The counter of the file only grows, and a log that is begun again has new salts.
    const isWhole = log.length < START_BYTES && before.equals(header) && salts.equals(toSalts(log));
    const isForeign =
      header[FORMAT_OFFSET] === ROLLBACK_FORMAT ||
      (counter > 0 && (isBegunAfter(frames, counter) || (isWhole && isOlder(frames, header))));
    return isForeign && statSync(logPath).size > 0 ? logPath : undefined;
  } catch {
    // There is no log, or SQLite reports why the file cannot be read.
    return undefined;
  }
}

// SQLite's file format, section 1.3: the format, the change counter, and the number of pages. SQLite makes the format 2
// before it creates a log, and 1 after it has removed that.
const ROLLBACK_FORMAT = 1;
const FORMAT_OFFSET = 19;
const COUNTER_OFFSET = 24;
const PAGES_OFFSET = 28;
const HEADER_BYTES = 100;

// By device and inode. They stay open: closing one would release the locks that SQLite has on the file in this process
// (fcntl(2)).
const descriptors = new Map<string, number>();

const READ_HEADER = `fs.createReadStream(process.argv[1], { end: ${String(HEADER_BYTES - 1)} }).pipe(process.stdout)`;

function readHeader(file: string): Buffer {
  // Node closes the descriptors of a worker thread when it ends: there, another process reads the file.
  /* istanbul ignore next: coverage does not see the thread */
  if (!isMainThread) return execFileSync(process.execPath, ['--eval', READ_HEADER, file], { env: {}, stdio: 'pipe' });
  const { dev, ino } = statSync(file);
  const key = `${String(dev)}:${String(ino)}`;
  const descriptor = descriptors.get(key) ?? openSync(file, 'r');
  descriptors.set(key, descriptor);
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(descriptor, header, 0, HEADER_BYTES, 0);
  return header;
}

// About 1,000 pages, after which SQLite begins to empty a log. More would make the start slower.
const START_BYTES = 4 * 1024 ** 2;

function readStart(logPath: string, length: number): Buffer {
  // SQLite locks the database and the index of the log, never the log: closing it releases no lock.
  const descriptor = openSync(logPath, 'r');
  const start = Buffer.allocUnsafe(length);
  const bytes = readSync(descriptor, start, 0, length, 0);
  closeSync(descriptor);
  return start.subarray(0, bytes);
}

const toSalts = (log: Buffer): Buffer => log.subarray(16, 24);
const isFirstPage = (frame: Buffer): boolean => frame.readUInt32BE(0) === 1;
const toCounter = (frame: Buffer): number => frame.readUInt32BE(FRAME_HEADER_BYTES + COUNTER_OFFSET);
/** Whether a frame ends a commit: then it has the number of pages. */
const isCommit = (frame: Buffer): boolean => toPages(frame) > 0;
const toPages = (frame: Buffer): number => frame.readUInt32BE(4);

/**
 * Finds whether the counter of a file was larger when the log was begun: a connection that writes page 1 has read it
 * before, and adds 1 to its counter.
 */
function isBegunAfter(frames: readonly Buffer[], counter: number): boolean {
  const first = frames.findIndex(isFirstPage);
  const found = frames[first];
  return found !== undefined && counter < toCounter(found) - 1 && frames.slice(first).some(isCommit);
}

/**
 * Finds whether a file is of a later time than a log that was read to its end: its page 1 has come from the log, or is
 * older. Where the log has no page 1, no commit has changed the number of pages.
 */
function isOlder(frames: readonly Buffer[], header: Buffer): boolean {
  const commit = frames.findLast(isCommit);
  if (commit === undefined) return false;
  const firstPage = frames.findLast(isFirstPage);
  return firstPage === undefined
    ? toPages(commit) !== header.readUInt32BE(PAGES_OFFSET)
    : toCounter(firstPage) < header.readUInt32BE(COUNTER_OFFSET);
}

/** The frames of a log that count (section 4 of the file format). */
function toFrames(log: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  if (log.length < LOG_HEADER_BYTES) return frames;
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  const addToSums = createSums((log.readUInt32BE(0) & 1) === 1);
  addToSums(log.subarray(0, 24));
  for (let start = LOG_HEADER_BYTES; start + frameBytes <= log.length; start += frameBytes) {
    const frame = log.subarray(start, start + frameBytes);
    if (!toSalts(log).equals(frame.subarray(8, 16))) break;
    addToSums(frame.subarray(0, 8));
    const [first, second] = addToSums(frame.subarray(FRAME_HEADER_BYTES));
    if (frame.readInt32BE(16) !== first || frame.readInt32BE(20) !== second) break;
    frames.push(frame);
  }
  return frames;
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
