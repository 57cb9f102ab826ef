import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own, in a file: what was not synced is not in that file yet, as with one that loses its power. */
export interface LoopDisk extends Disposable {
  /** Where it is mounted now. */
  readonly folder: string;
  /** Goes on with what is on the disk; what the system would have written later is gone. Nobody may use it now. */
  cutPower(): void;
}

const SIZE = '512M';

/** @throws Error where none can be mounted: by others than root, in most containers */
export function createLoopDisk(): LoopDisk {
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
    get folder() {
      return folder;
    },
    cutPower() {
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
