import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Gives a copy of this repository its own packages, and all others as they are installed here. */
export function linkPackages(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@contract-kit'), { recursive: true });
  for (const name of readdirSync('node_modules')) {
    if (name !== '@contract-kit') symlinkSync(resolve('node_modules', name), join(modules, name));
  }
  for (const name of readdirSync('packages')) {
    symlinkSync(join(folder, 'packages', name), join(modules, '@contract-kit', name));
  }
}
