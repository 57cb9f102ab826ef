// Makes the package-lock.json of a project.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NewError } from './options';
import { runNpm } from './run-npm';

interface Lock {
  packages: Record<string, unknown>;
}

/** The file that npm keeps the versions in. */
export const LOCK = 'package-lock.json';

/**
 * Makes the package-lock.json of a project fit its package.json, with an empty cache, so that nothing that another project
 * left there gets into it. Versions that are locked stay. Nothing is installed.
 *
 * @param root the project
 * @param start a package-lock.json to start from
 * @param isOwn whether a package of that file, by its path, stays
 */
export function lockProject(root: string, start: string, isOwn: (path: string) => boolean): void {
  if (!existsSync(start)) throw new NewError(`there is no ${start}: projects are installed by npm`);
  const lock = JSON.parse(readFileSync(start, 'utf8')) as Lock;
  const kept = Object.entries(lock.packages).filter(([path]) => path === '' || isOwn(path));
  writeFileSync(join(root, LOCK), JSON.stringify({ ...lock, packages: Object.fromEntries(kept) }));
  const cache = mkdtempSync(join(tmpdir(), 'cache-'));
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

/** Whether a package is none of the kit, which comes from vendor/. */
export function isForeign(path: string): boolean {
  return !path.includes('@contract-kit/');
}
