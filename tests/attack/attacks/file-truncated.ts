import { truncateSync } from 'node:fs';
import type { Attack } from '../attack';
import { takeFile } from '../take-file';

/** Needs write access to the file. What was in it before is gone; nothing more may be acknowledged. */
export const fileTruncated: Attack = {
  name: 'the SQLite file truncated under load',
  run: () =>
    takeFile({
      act: (file) => {
        truncateSync(file);
      },
    }),
};
