import { rmSync } from 'node:fs';
import type { Attack } from '../attack';
import { takeFile } from './database-file';
import { startTarget } from '../target';

/** Needs write access to the folder. The file itself has all that was acknowledged. */
export const logRemoved: Attack = {
  name: 'the -wal of the SQLite file removed under load',
  run: () =>
    takeFile({
      act: (file) => {
        rmSync(`${file}-wal`);
      },
      findKept: (file) => file,
    }),
};

const REQUESTS = 3_000;

/** A reader of standard output that stalls, and SIGTERM. */
export const unreadLog: Attack = {
  name: 'SIGTERM while standard output is not read',
  async run() {
    using target = await startTarget({ SHUTDOWN_TIMEOUT: '1s' });
    const { child, ended } = target.process;
    child.stdout?.pause();
    for (let asked = 0; asked < REQUESTS; asked += 100) {
      await Promise.all(Array.from({ length: 100 }, () => target.postPlant()));
    }
    const start = performance.now();
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), 20_000);
    child.once('exit', () => child.stdout?.resume());
    await ended;
    clearTimeout(kill);
    return [{ what: 'ended', value: (performance.now() - start) / 1000, atMost: 2, unit: 's' }];
  },
};
