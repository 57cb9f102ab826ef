import { rmSync } from 'node:fs';
import type { Attack } from '../attack';
import { takeFile } from '../take-file';

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
