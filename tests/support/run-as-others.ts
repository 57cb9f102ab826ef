import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { makeForeignEnvironment } from './foreign-environment';
import { TOKEN } from './start-things';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';

/** What came of a command. */
export interface Ended {
  readonly status: number;
  readonly output: string;
}

const env = { ...makeForeignEnvironment(), TOKEN };

/** Runs a command as on another machine, with the variable TOKEN. */
export function run(cwd: string, command: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((done) => {
    execFile(command, args, { cwd, env, maxBuffer: 1024 ** 3 }, (error, stdout, stderr) => {
      done({ status: error ? Number(error.code) : 0, output: `${stdout}${stderr}` });
    });
  });
}

/** It ended well, and said a text. */
export const ok = (text: string): Ended => ({ status: 0, output: expect.stringContaining(text) as string });

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
