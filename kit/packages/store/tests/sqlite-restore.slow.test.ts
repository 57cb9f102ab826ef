import {
  copyFileSync,
  linkSync,
  mkdtempDisposableSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  type DisposableTempDir,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { openStore, StoreUnavailable, type Store } from '../src';
import { noteSchema, readNotes, type Items } from './databases';

// A backup takes the place of a file whose service was killed, and the log of that file is left beside it. The log of a
// few small notes has nothing that tells to which file it belongs, unless the backup is in another format.

let folder: DisposableTempDir;
let file: string;
let restored: string;
let store: Store<Items>;
beforeEach(async () => {
  folder = mkdtempDisposableSync(join(tmpdir(), 'restore-'));
  file = join(folder.path, 'notes.db');
  restored = join(folder.path, 'restored.db');
  store = await openStore({ file }, noteSchema);
});
afterEach(async () => {
  await store.close();
  folder.remove();
});

async function addNotes(from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number++) {
    await store.add.notes({ number: BigInt(number), text: 'x'.repeat(500) });
  }
}

const backups: Record<string, (path: string) => unknown> = {
  'VACUUM INTO': (path) => {
    using database = new DatabaseSync(file);
    database.exec(`VACUUM INTO '${path}'`);
  },
  '.backup': async (path) => {
    using database = new DatabaseSync(file);
    await backup(database, path);
  },
};

/** Restores a backup of the first two notes beside the log that a kill leaves after more notes. */
async function restore(makeBackup: (path: string) => unknown, notes: number): Promise<void> {
  await addNotes(1, 2);
  await makeBackup(restored);
  await addNotes(3, notes);
  for (const ending of ['-wal', '-shm']) copyFileSync(file + ending, restored + ending);
}

test.each([
  ['VACUUM INTO', 3],
  ['VACUUM INTO', 30],
  ['.backup', 30],
])('a backup by %s beside the log of %i notes is refused and left as it was', async (name, notes) => {
  await restore(backups[name] as () => unknown, notes);
  const before = readFileSync(restored);
  const open = openStore({ file: restored }, noteSchema);
  await expect(open).rejects.toThrow(StoreUnavailable);
  await expect(open).rejects.toThrow(`remove ${restored}-wal and ${restored}-shm`);
  expect(readFileSync(restored)).toEqual(before);
  for (const ending of ['-wal', '-shm']) rmSync(restored + ending);
  await (await openStore({ file: restored }, noteSchema)).close();
  expect(readNotes(restored).map(({ number }) => number)).toEqual([1n, 2n]);
});

/** Puts the log of an earlier time beside a backup that was made after a restart. */
async function restoreBesideOldLog(before: number, after: number): Promise<void> {
  await addNotes(1, before);
  for (const ending of ['-wal', '-shm']) copyFileSync(file + ending, restored + ending);
  await store.close();
  store = await openStore({ file }, noteSchema);
  await addNotes(before + 1, before + after);
  await store.close();
  copyFileSync(file, restored);
}

test.each([
  [5, 5],
  [30, 5],
  [30, 300],
])('the log of %i notes is refused beside the file with %i more, which is left as it was', async (before, after) => {
  await restoreBesideOldLog(before, after);
  const backup = readFileSync(restored);
  await expect(openStore({ file: restored }, noteSchema)).rejects.toThrow(
    `${restored}-wal belongs to another database file, or to this one at another time`,
  );
  expect(readFileSync(restored)).toEqual(backup);
  for (const ending of ['-wal', '-shm']) rmSync(restored + ending);
  await expect(countAfterStart(restored)).resolves.toBe(before + after);
});

test('a file with two names is refused, since each name would have a log of its own', async () => {
  await addNotes(1, 2);
  await store.close();
  linkSync(file, restored);
  for (const name of [file, restored])
    await expect(openStore({ file: name }, noteSchema)).rejects.toThrow('it has 2 names (hard links)');
  rmSync(restored);
  await expect(countAfterStart(file)).resolves.toBe(2);
});

// SQLite's file format, section 4.1: 32 bytes, and then frames of 24 bytes and a page.
const FRAME_BYTES = 24 + 4_096;

function findFrameOfFirstPage(log: string): number {
  const bytes = readFileSync(log);
  for (let frame = 32; ; frame += FRAME_BYTES) if (bytes.readUInt32BE(frame) === 1) return frame;
}

/** Changes a byte of a log; one at a negative offset is counted from the end. */
const damage = (offset: number) => (log: string) => {
  const bytes = readFileSync(log);
  const at = (offset + bytes.length) % bytes.length;
  bytes.writeUInt8(255 - bytes.readUInt8(at), at);
  writeFileSync(log, bytes);
};

test.each<[string, (log: string) => void]>([
  ['is damaged before its first page 1', damage(FRAME_BYTES)],
  [
    'ends in the commit of its first page 1',
    (log) => {
      truncateSync(log, findFrameOfFirstPage(log) + FRAME_BYTES);
    },
  ],
])('a log that %s may be the own one of a backup', async (_, act) => {
  await restore(backups['.backup'] as () => unknown, 30);
  act(`${restored}-wal`);
  await expect(openStore({ file: restored }, noteSchema).then((opened) => opened.close())).resolves.toBeUndefined();
});

/** What a kill would leave now. @returns the path of the file */
function kill(): string {
  const killed = join(folder.path, 'killed.db');
  for (const ending of ['', '-wal', '-shm']) copyFileSync(file + ending, killed + ending);
  return killed;
}

async function countAfterStart(path: string): Promise<number> {
  await (await openStore({ file: path }, noteSchema)).close();
  return readNotes(path).length;
}

test.each<[string, number, number, (log: string) => void]>([
  ['of few notes', 2, 2, () => undefined],
  ['of a file that grows', 30, 30, () => undefined],
  // It ends with the commit of the last note.
  ['whose end is damaged', 2, 1, damage(-1)],
  ['that is empty', 2, 0, truncateSync],
])("a file's own log %s is used", async (_, notes, kept, act) => {
  await addNotes(1, notes);
  const killed = kill();
  act(`${killed}-wal`);
  await expect(countAfterStart(killed)).resolves.toBe(kept);
});

test("a file's own log is used after a checkpoint, when it is begun again, and while others use it", async () => {
  await addNotes(1, 30);
  using database = new DatabaseSync(file);
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  await expect(countAfterStart(kill())).resolves.toBe(30);
  await addNotes(31, 31);
  await expect(countAfterStart(kill())).resolves.toBe(31);
  for (let time = 0; time < 2; time++) await expect(countAfterStart(file)).resolves.toBe(31);
});

test('an empty log, and the log of a file that was removed, are no reason to refuse', async () => {
  await addNotes(1, 30);
  const killed = kill();
  truncateSync(killed);
  await expect(countAfterStart(killed)).resolves.toBe(0);
  const database = new DatabaseSync(killed);
  database.exec('PRAGMA journal_mode = DELETE');
  database.close();
  writeFileSync(`${killed}-wal`, '');
  await expect(countAfterStart(killed)).resolves.toBe(0);
});
