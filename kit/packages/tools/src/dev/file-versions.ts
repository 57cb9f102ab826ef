import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

// Matches the lock, swap and backup files of Emacs, Vim and other editors.
const EDITOR_FILE = /^\.?#|~$|\.(?:sw[a-z]|kate-swp)$/;

/**
 * Returns a string that changes whenever one of the files, or a file in one of the folders, is saved, even with the same text.
 * Follows each link to a folder once, as the compiler does.
 *
 * @throws Error for a link to a folder around the working directory, since the compiler would read everything there
 */
export function readVersions(paths: Iterable<string>): string {
  const parents = listParents(resolve('')).map((path) => readStats(path).id);
  const visitedIds = new Set<string>();

  function listVersions(path: string): unknown[] {
    const { id, isFolder, version } = readStats(path);
    if (!isFolder) return [path, version];
    if (parents.includes(id)) throw new Error(`${path} is a link to a folder that contains the project; remove it`);
    if (visitedIds.has(id)) return [];
    visitedIds.add(id);
    const names = tryRead(() => readdirSync(path)) ?? [];
    return names.filter((name) => !EDITOR_FILE.test(name)).flatMap((name) => listVersions(join(path, name)));
  }

  return JSON.stringify([...paths].flatMap(listVersions));
}

function listParents(path: string): string[] {
  return dirname(path) === path ? [path] : [path, ...listParents(dirname(path))];
}

function readStats(path: string): Record<'id' | 'version', string> & { isFolder: boolean } {
  const stats = tryRead(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
  const id = `${String(stats?.dev)}:${String(stats?.ino)}`;
  return {
    id,
    isFolder: stats?.isDirectory() === true,
    version: `${id}:${String(stats?.mtimeNs)}:${String(stats?.size)}`,
  };
}

// A file may be removed while it is read, and a link may lead to itself.
function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
