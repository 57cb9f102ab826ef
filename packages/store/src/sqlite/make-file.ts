import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes an empty file that only its owner can read and write, with its folder, if it is missing. */
export function makeFile(file: string): void {
  makeFolder(dirname(file));
  try {
    // SQLite would create it readable by all users. SQLite gives its other files the mode of this one.
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // The file exists, or SQLite reports why it cannot be created.
  }
}

// Not with mkdir's recursive option, which does not terminate below /proc.
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    /* istanbul ignore else: another server made it in the meantime */
    if (!existsSync(folder)) throw error;
  }
}
