import { join, resolve } from 'node:path';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { linkModules } from '../src/new/try-project';

/** Gives a copy of this repository its own packages, and all others as they are installed here. */
export function linkPackages(folder: string): void {
  const scope = join(folder, 'node_modules/@contract-kit');
  mkdirSync(scope, { recursive: true });
  for (const name of readdirSync('packages')) symlinkSync(join(folder, 'packages', name), join(scope, name));
  linkModules(folder, [resolve('node_modules')]);
}
