import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogProbe, type FileProbe } from '../src/sqlite/write-ahead-log';

const CHUNK_BYTES = 65_536;

let folder: string;
let log: string;
let probe: FileProbe;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'));
  log = join(folder, 'notes.db-wal');
  writeFileSync(log, 'x'.repeat(100));
  probe = createLogProbe(log);
});
afterEach(() => {
  probe.close();
  rmSync(folder, { recursive: true });
});

function findWithStat(): Pick<Stats, 'dev' | 'ino' | 'size'> {
  const { dev, ino, size } = statSync(log);
  return { dev, ino, size };
}

describe('the probe at a write-ahead log', () => {
  test.each([0, 1, 100, 200])('looks with stat when it is thorough: %i bytes', (bytes) => {
    truncateSync(log, bytes);
    expect(probe.readState(true)).toMatchObject(findWithStat());
    appendFileSync(log, 'x');
    expect(probe.readState(false)).toMatchObject(findWithStat());
  });

  test.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 3 * CHUNK_BYTES + 1])('sees that %i bytes were added', (bytes) => {
    appendFileSync(log, 'x'.repeat(bytes));
    expect(probe.readState(false)).toMatchObject(findWithStat());
    appendFileSync(log, 'x');
    expect(probe.readState(false)).toMatchObject(findWithStat());
  });

  test.each([0, 1, 99])('sees that it was truncated to %i bytes, and that it grows again', (bytes) => {
    truncateSync(log, bytes);
    expect(probe.readState(false)).toMatchObject(findWithStat());
    appendFileSync(log, 'x'.repeat(200));
    expect(probe.readState(false)).toMatchObject(findWithStat());
  });

  test('sees no file where it was removed', () => {
    rmSync(log);
    expect(probe.readState(false)).toBeUndefined();
  });

  test('sees no file where it was renamed, and the log where it has its name again', () => {
    const away = join(folder, 'away');
    renameSync(log, away);
    expect(probe.readState(false)).toBeUndefined();
    renameSync(away, log);
    expect(probe.readState(false)).toMatchObject(findWithStat());
  });

  test('sees the other file that has replaced it', () => {
    const other = join(folder, 'other');
    copyFileSync(log, other);
    renameSync(other, log);
    expect(probe.readState(false)).toMatchObject(findWithStat());
  });

  test('sees no file where its folder was renamed', () => {
    renameSync(folder, `${folder}-away`);
    expect(probe.readState(false)).toBeUndefined();
    renameSync(`${folder}-away`, folder);
  });

  test('looks with stat at what it cannot open', () => {
    const missing = createLogProbe(join(folder, 'missing'));
    expect(missing.readState(false)).toBeUndefined();
    missing.close();
  });
});
