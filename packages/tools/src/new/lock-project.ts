// Makes the package-lock.json of a project.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProjectError } from './options';
import { runNpm } from './run-npm';

interface Lock {
  packages: Record<string, unknown>;
}

/** The file in which npm keeps the version of each installed package. */
export const LOCK_FILE = 'package-lock.json';

/**
 * Makes the package-lock.json of a project fit its package.json, and installs nothing. Locked versions stay. The cache
 * is empty, so that nothing gets into the file that another project left in npm's cache.
 *
 * @param root the project
 * @param start a package-lock.json to start from
 * @param isKept whether a package of that file stays, by its path there, such as node_modules/express
 */
export function lockProject(root: string, start: string, isKept: (path: string) => boolean): void {
  // Another package manager, such as yarn, writes no package-lock.json.
  if (!existsSync(start)) throw new ProjectError(`there is no ${start}: projects are installed by npm`);
  const lock = JSON.parse(readFileSync(start, 'utf8')) as Lock;
  // The entry '' is the project itself.
  const kept = Object.entries(lock.packages).filter(([path]) => path === '' || isKept(path));
  writeFileSync(join(root, LOCK_FILE), JSON.stringify({ ...lock, packages: Object.fromEntries(kept) }));
  const cache = mkdtempSync(join(tmpdir(), 'cache-'));
  // Lock only, run no scripts, and leave out the URLs of this machine's registry.
  try {
    runNpm(root, [
      'install',
      '--package-lock-only',
      '--ignore-scripts',
      '--omit-lockfile-registry-resolved',
      '--no-audit',
      '--no-fund',
      '--cache',
      cache,
    ]);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

export function isThirdParty(path: string): boolean {
  return !path.includes('@contract-kit/');
}
