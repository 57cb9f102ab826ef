// Writes and removes files inside a folder, but never elsewhere.
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** Thrown if a file would be written outside the folder. The message is for people. */
export class WriteError extends Error {
  readonly code = 'UNSAFE_PATH';
}

// The file must not be a link, and no folder on its path may be a link that leads elsewhere.
function assertInside(root: string, file: string): void {
  const path = resolve(root, file);
  if (findStats(path)?.isSymbolicLink() === true)
    throw new WriteError(
      `${join(root, file)} is a symbolic link, and files are not written through links; replace it with a file`,
    );
  let parent = dirname(path);
  while (!findStats(parent)) parent = dirname(parent);
  const pathFromRoot = relative(toRealPath(findStats(resolve(root)) ? resolve(root) : parent), toRealPath(parent));
  if (pathFromRoot === '..' || pathFromRoot.startsWith(`..${sep}`) || resolve(pathFromRoot) === pathFromRoot)
    throw new WriteError(
      `${join(root, file)} is outside ${root || '.'}; replace the symbolic link on its path with a folder`,
    );
}

function findStats(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new WriteError(`${path} is a broken symbolic link; remove it`, { cause: error });
  }
}

/**
 * Writes a file inside a folder atomically, by renaming a temporary file.
 *
 * @param root the folder; '' for the working directory
 * @throws WriteError if a link leads elsewhere
 * @example writeInside('', 'generated/api.d.ts', text)
 */
export function writeInside(root: string, file: string, content: string | Uint8Array): void {
  assertInside(root, file);
  const path = resolve(root, file);
  const temporaryPath = `${path}.${randomUUID()}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(temporaryPath, content, { flag: 'wx', mode: findStats(path)?.mode });
    renameSync(temporaryPath, path);
  } catch (error) {
    rmSync(temporaryPath, { force: true });
    throw error;
  }
}

/** Removes a file inside a folder. @throws WriteError if a link leads elsewhere */
export function removeInside(root: string, file: string): void {
  assertInside(root, file);
  rmSync(resolve(root, file), { force: true });
}
