// Tells CommonJS and ES modules apart as Node does, by `"type": "module"` in the nearest package.json.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Whether JavaScript in a folder is an ES module. The folder need not exist yet. */
export function isModuleFolder(folder: string): boolean {
  const path = resolve(folder);
  const file = join(path, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { type?: unknown }).type === 'module';
  return path !== dirname(path) && isModuleFolder(dirname(path));
}

/** Converts TypeScript for CommonJS to an ES module, which imports files by their full names. */
export function toModule(text: string): string {
  // Changes only imports, since other lines may have text from the contract.
  return text.replaceAll(/(?<=^(?:import .*|\}) from ')\.{1,2}\/[^']+(?=';$)/gm, (path) =>
    path === './handlers' ? './handlers/index.js' : `${path}.js`,
  );
}
