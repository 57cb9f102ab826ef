import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, type Ended } from './run-as-others';

/**
 * Packs a package of this repository, and installs it in a folder, which is empty or an application.
 *
 * @param others what npm is to install with it
 * @returns what came of its installation
 * @throws Error when it cannot be packed
 */
export async function installPacked(folder: string, name: string, ...others: readonly string[]): Promise<Ended> {
  const { status, output } = await run(`packages/${name}`, 'npm', 'pack', '--pack-destination', folder);
  if (status !== 0) throw new Error(output);
  // npm would install it in a folder above, if that had a package.json.
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const tarball = String(readdirSync(folder).find((entry) => entry.endsWith('.tgz')));
  return run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`, ...others);
}
