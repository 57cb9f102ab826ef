import { renameSync, writeFileSync } from 'node:fs';
import type { Attack } from '../attack';
import { takeFile } from '../take-file';

const toAway = (file: string): string => `${file}.away`;

/** As a restore does that does not stop the service: the file that was renamed has all that was acknowledged. */
export const fileReplaced: Attack = {
  name: 'the SQLite file renamed and replaced under load',
  run: () =>
    takeFile({
      act: (file) => {
        renameSync(file, toAway(file));
        writeFileSync(file, '');
      },
      findKept: toAway,
    }),
};
