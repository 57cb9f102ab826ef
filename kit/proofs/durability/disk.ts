import { closeSync, openSync, writeSync, chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Row } from './ledger';
import type { Random } from './random';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Of SQLite, unless it is told another. */
export const PAGE = 4096;

/** All pages of a file but the first, which every start reads. */
export function pagesOf(file: Buffer): number[] {
  return Array.from({ length: file.length / PAGE - 1 }, (_, page) => page + 1);
}

/** Writes random bytes over pages, counted from 0, of a file that others may have open. */
export function damagePages(file: string, pages: readonly number[], random: Random): void {
  writePages(file, new Map(pages.map((page) => [page, random.bytes(PAGE)])));
}

/** Writes pages, counted from 0, where they are in a file that others may have open. */
export function writePages(file: string, pages: ReadonlyMap<number, Buffer>): void {
  const descriptor = openSync(file, 'r+');
  for (const [page, bytes] of pages) writeSync(descriptor, bytes, 0, bytes.length, page * PAGE);
  closeSync(descriptor);
}

/** The plants that can be read yet, one by one, of the first ones of a table. */
export function readReadable(file: string, count: number): Row[] {
  using database = new DatabaseSync(file, { readOnly: true });
  const select = database.prepare('SELECT id, name, tag FROM plants WHERE rowid = ?');
  select.setReadBigInts(true);
  return Array.from({ length: count }, (_, row) => {
    try {
      return (select.get(row + 1) ?? []) as Row | [];
    } catch {
      return [];
    }
  }).flat();
}

const SIZE = '512M';

/**
 * Makes a disk of its own, in a file: what was not synced is not in that file yet, as with one that loses its power.
 *
 * @throws Error where none can be mounted: by others than root, in most containers
 */
export function createLoopDisk() {
  const parent = mkdtempSync(join(tmpdir(), 'disk-'));
  chmodSync(parent, 0o755);
  let disks = 0;
  let image = join(parent, 'disk0');
  let folder = `${image}-mounted`;

  function mount(): void {
    folder = `${image}-mounted`;
    mkdirSync(folder);
    run('mount', ['-o', 'loop', image, folder]);
  }

  function unmount(): void {
    run('umount', ['--lazy', folder]);
  }

  try {
    run('truncate', ['--size', SIZE, image]);
    run('mkfs.ext4', ['-q', image]);
    mount();
  } catch (error) {
    rmSync(parent, { recursive: true });
    throw error;
  }
  chmodSync(folder, 0o777);
  return {
    /** Where it is mounted now. */
    get folder() {
      return folder;
    },
    /** Goes on with what is on the disk; what the system would have written later is gone. Nobody may use it now. */
    cutPower: () => {
      const copy = join(parent, `disk${String(++disks)}`);
      run('cp', ['--sparse=always', image, copy]);
      unmount();
      rmSync(image);
      image = copy;
      mount();
    },
    [Symbol.dispose]() {
      unmount();
      rmSync(parent, { recursive: true });
    },
  };
}

function run(program: string, args: readonly string[]): void {
  const PATH = `${String(process.env['PATH'])}:/usr/sbin:/sbin`;
  execFileSync(program, args, { stdio: 'ignore', env: { ...process.env, PATH } });
}
