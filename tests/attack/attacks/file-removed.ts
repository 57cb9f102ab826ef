import { rmSync } from 'node:fs';
import type { Attack } from '../attack';
import { takeFile } from '../take-file';

/** Needs write access to the folder. What was in the file before is gone; nothing more may be acknowledged. */
export const fileRemoved: Attack = {
  name: 'the SQLite file removed under load',
  run: () => takeFile({ act: rmSync }),
};
