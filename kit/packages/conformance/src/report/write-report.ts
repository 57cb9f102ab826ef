import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** @throws Error if the file is a link, except to a device or a pipe */
export function assertNoLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true && !isDevice(file))
    throw new Error(
      `${file} is a symbolic link, and reports are not written through links: name the file that it points to, or remove the link`,
    );
}

// Follows links, because /dev/stdout can be a link to a pipe.
function isDevice(file: string): boolean {
  const target = statSync(file, { throwIfNoEntry: false });
  return target !== undefined && !target.isFile() && !target.isDirectory();
}

/**
 * Replaces a file atomically, by renaming a new file. Writes to a device or a pipe directly.
 *
 * @throws Error if the file is a link, except to a device or a pipe
 */
export function writeReport(file: string, text: string): void {
  assertNoLink(file);
  if (isDevice(file)) {
    writeFileSync(file, text);
    return;
  }
  const temporaryFile = `${file}.${randomUUID()}.tmp`;
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(temporaryFile, text, { flag: 'wx', mode: statSync(file, { throwIfNoEntry: false })?.mode });
    renameSync(temporaryFile, file);
  } catch (error) {
    rmSync(temporaryFile, { force: true });
    throw error;
  }
}
