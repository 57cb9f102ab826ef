import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** @throws Error when the file is a link to a file, or to nothing */
export function assertNoLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true && !isDevice(file))
    throw new Error(
      `${file} is a symbolic link, and reports are not written through links: name the file that it points to, or remove the link`,
    );
}

// Also true for a link to a pipe, as /dev/stdout may be.
function isDevice(file: string): boolean {
  const target = statSync(file, { throwIfNoEntry: false });
  return target !== undefined && !target.isFile() && !target.isDirectory();
}

/**
 * Replaces a file atomically: writes a new file next to it and renames that. Writes to a device or a pipe directly.
 *
 * @throws Error when it is a link to a file, or to nothing
 */
export function writeReport(file: string, text: string): void {
  assertNoLink(file);
  if (isDevice(file)) {
    writeFileSync(file, text);
    return;
  }
  const draft = `${file}.${randomUUID()}.tmp`;
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: statSync(file, { throwIfNoEntry: false })?.mode });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
