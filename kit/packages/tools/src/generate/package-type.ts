// Like Node, distinguishes CommonJS from ES modules by the `type` in the nearest package.json.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Whether JavaScript in a folder is an ES module. The folder does not need to exist yet. */
export function isModuleFolder(folder: string): boolean {
  const path = resolve(folder);
  const file = join(path, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { type?: unknown }).type === 'module';
  return path !== dirname(path) && isModuleFolder(dirname(path));
}

/** Converts imports from the form for CommonJS to the full file names that ES modules need. */
export function toModule(text: string): string {
  // The pattern matches only imports, because other lines can contain text from the contract.
  return text.replaceAll(/(?<=^(?:import .*|\}) from ')\.{1,2}\/[^']+(?=';$)/gm, (path) =>
    path === './handlers' ? './handlers/index.js' : `${path}.js`,
  );
}
