// Writes and removes files of a folder, and nothing elsewhere.
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** A file is not written, since it would be elsewhere. The message is for people. */
export class WriteError extends Error {
  readonly code = 'UNSAFE_PATH';
}

/**
 * Asserts that a file lies in a folder: it is not a link, and no link leads its folder elsewhere.
 *
 * @throws WriteError
 */
export function assertInside(root: string, file: string): void {
  const path = resolve(root, file);
  if (findStats(path)?.isSymbolicLink() === true)
    throw new WriteError(`${join(root, file)} is a link, through which nothing is written: replace it by a file`);
  let parent = dirname(path);
  while (!findStats(parent)) parent = dirname(parent);
  const way = relative(toRealPath(findStats(resolve(root)) ? resolve(root) : parent), toRealPath(parent));
  if (way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way)
    throw new WriteError(`${join(root, file)} is out of ${root || '.'}: replace the link that leads there by a folder`);
}

function findStats(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new WriteError(`${path} is a link that leads nowhere: remove it`, { cause: error });
  }
}

/**
 * Writes a file of a folder, as a whole or not at all: it is made beside its place, and then moved there.
 *
 * @throws WriteError when a link leads elsewhere
 * @param root the folder; '' for the working directory
 * @example writeInside('', 'generated/api.d.ts', text)
 */
export function writeInside(root: string, file: string, content: string | Uint8Array): void {
  assertInside(root, file);
  const path = resolve(root, file);
  const draft = `${path}.${randomUUID()}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(draft, content, { flag: 'wx', mode: findStats(path)?.mode });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Removes a file of a folder. @throws WriteError when a link leads elsewhere */
export function removeInside(root: string, file: string): void {
  assertInside(root, file);
  rmSync(resolve(root, file), { force: true });
}
