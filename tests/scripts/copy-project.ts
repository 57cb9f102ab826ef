import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PARTS = [
  '.prettierrc.json',
  'eslint.config.mjs',
  'generated',
  'openapi.yaml',
  'package.json',
  'scripts',
  'src',
  'tsconfig.json',
];

/** What the project is made of, but for its tests, in a folder of its own that may be changed. */
export function copyProject(): Disposable & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  for (const name of PARTS) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
