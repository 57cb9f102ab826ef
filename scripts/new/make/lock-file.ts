import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NewError } from '../options';

/**
 * Makes the package-lock.json of a folder fit its package.json: what nothing needs any more goes, all else stays as it
 * is. Nothing is installed, and no host is named from which packages come.
 */
export function pruneLockFile(folder: string): void {
  const args = [
    'install',
    '--package-lock-only',
    '--prefer-offline',
    '--omit-lockfile-registry-resolved',
    '--no-audit',
    '--no-fund',
  ];
  const { status, stderr, error } = spawnSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0)
    throw new NewError(`package-lock.json cannot be made: ${error?.message ?? stderr}`, { cause: error });
}

/** Forgets the install scripts that are allowed or not of packages that the package-lock.json of a folder does not have. */
export function pruneAllowedScripts(folder: string): void {
  const file = join(folder, 'package.json');
  const own = JSON.parse(readFileSync(file, 'utf8')) as { allowScripts: Record<string, boolean> };
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: object };
  const paths = Object.keys(packages);
  const allowScripts = Object.fromEntries(
    Object.entries(own.allowScripts).filter(([name]) => paths.some((path) => path.endsWith(`node_modules/${name}`))),
  );
  writeFileSync(file, `${JSON.stringify({ ...own, allowScripts }, null, 2)}\n`);
}
