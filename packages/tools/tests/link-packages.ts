import { join, resolve } from 'node:path';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';

const SCOPE = '@contract-kit';

/** Gives a copy of this repository its own packages, and all others as they are installed here. */
export function linkPackages(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, SCOPE), { recursive: true });
  for (const name of readdirSync('packages')) symlinkSync(join(folder, 'packages', name), join(modules, SCOPE, name));
  for (const name of readdirSync('node_modules').filter((one) => one !== SCOPE)) {
    symlinkSync(resolve('node_modules', name), join(modules, name));
  }
}
