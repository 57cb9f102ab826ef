// Writes the files that a run leaves.
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

// Such as /dev/stdout, which may be a pipe.
function isDevice(file: string): boolean {
  const target = statSync(file, { throwIfNoEntry: false });
  return target !== undefined && !target.isFile() && !target.isDirectory();
}

/**
 * Writes a file, as a whole or not at all: it is made beside its place, and then moved there. A device or a pipe is
 * written to.
 *
 * @throws Error when it is a link to a file, or to nothing
 * @example writeReport('reports/junit.xml', toJUnit(results, describe))
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
