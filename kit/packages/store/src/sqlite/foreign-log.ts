// Finds a write-ahead log that does not belong to the database file next to it, for example after a backup was restored.
// Tests run this file in processes, so the rule for imports in commit.ts also applies here.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { FRAME_HEADER_BYTES, LOG_HEADER_BYTES } from './guard.ts';

/**
 * Rejects a log that certainly belongs to another file, or to an older or newer state of this one. Call it before SQLite opens
 * the database, because SQLite applies any log that it finds. That could undo a restore or mix two files.
 */
export function assertOwnLog(file: string): void {
  const foreignLog = findForeignLog(file);
  if (foreignLog === undefined) return;
  const names = `${foreignLog} and ${foreignLog.replace(/wal$/, 'shm')}`;
  throw new Error(`${foreignLog} belongs to another database file, or to this one at another time: remove ${names}`);
}

function findForeignLog(file: string): string | undefined {
  try {
    // Even if the path is a link, SQLite looks for the log next to the file itself.
    const logPath = `${realpathSync(file)}-wal`;
    const before = readHeader(file);
    const log = readStart(logPath, START_BYTES);
    const salts = toSalts(readStart(logPath, LOG_HEADER_BYTES));
    const header = readHeader(file);
    const frames = toFrames(log);
    const counter = header.readUInt32BE(COUNTER_OFFSET);
    // While another server writes, two reads differ: the file's counter only grows, and a restarted log has new salts.
    const isWhole = log.length < START_BYTES && before.equals(header) && salts.equals(toSalts(log));
    const isForeign =
      header[FORMAT_OFFSET] === ROLLBACK_FORMAT ||
      (counter > 0 && (isFromNewerFile(frames, counter) || (isWhole && isOlder(frames, header))));
    return isForeign && statSync(logPath).size > 0 ? logPath : undefined;
  } catch {
    // There is no log, or SQLite will report why the file cannot be read.
    return undefined;
  }
}

// The format without a log. SQLite sets it after removing a log, and 2 before creating one (SQLite file format, section 1.3).
const ROLLBACK_FORMAT = 1;
const FORMAT_OFFSET = 19;
const COUNTER_OFFSET = 24;
const PAGES_OFFSET = 28;
const HEADER_BYTES = 100;

// Open descriptors, keyed by device and inode. Closing one would release SQLite's locks on the file (fcntl(2)).
const descriptors = new Map<string, number>();

const READ_HEADER = `fs.createReadStream(process.argv[1], { end: ${String(HEADER_BYTES - 1)} }).pipe(process.stdout)`;

function readHeader(file: string): Buffer {
  // When a worker thread ends, Node closes its descriptors, so another process must read the file.
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

// How much of a log is read: about 1,000 pages, after which SQLite begins to empty it. Reading more would delay startup.
const START_BYTES = 4 * 1024 ** 2;

function readStart(logPath: string, length: number): Buffer {
  const descriptor = openSync(logPath, 'r');
  const start = Buffer.allocUnsafe(length);
  const bytes = readSync(descriptor, start, 0, length, 0);
  closeSync(descriptor);
  return start.subarray(0, bytes);
}

const toSalts = (log: Buffer): Buffer => log.subarray(16, 24);
const isFirstPage = (frame: Buffer): boolean => frame.readUInt32BE(0) === 1;
const toCounter = (frame: Buffer): number => frame.readUInt32BE(FRAME_HEADER_BYTES + COUNTER_OFFSET);
// Only the last frame of a commit contains the number of pages.
const isCommit = (frame: Buffer): boolean => toPages(frame) > 0;
const toPages = (frame: Buffer): number => frame.readUInt32BE(4);

// Whether the log was started on a newer state of the file. Every write to page 1 increments the file's counter.
function isFromNewerFile(frames: readonly Buffer[], counter: number): boolean {
  const first = frames.findIndex(isFirstPage);
  const frame = frames[first];
  return frame !== undefined && counter < toCounter(frame) - 1 && frames.slice(first).some(isCommit);
}

// Whether a complete log is older than the file. If the log does not contain page 1, no commit changed the number of pages.
function isOlder(frames: readonly Buffer[], header: Buffer): boolean {
  const commit = frames.findLast(isCommit);
  if (commit === undefined) return false;
  const firstPage = frames.findLast(isFirstPage);
  return firstPage === undefined
    ? toPages(commit) !== header.readUInt32BE(PAGES_OFFSET)
    : toCounter(firstPage) < header.readUInt32BE(COUNTER_OFFSET);
}

/** Lists the valid frames of a log (SQLite file format, section 4). */
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

// Each frame's checksums include all earlier frames. Signed integers are faster.
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
