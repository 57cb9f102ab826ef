// Tells CommonJS and ES modules apart, as Node does: by `"type": "module"` in the nearest package.json.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Whether the JavaScript of a folder, which need not exist yet, is ES modules. */
export function isModuleFolder(folder: string): boolean {
  const path = resolve(folder);
  const file = join(path, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { type?: unknown }).type === 'module';
  return path !== dirname(path) && isModuleFolder(dirname(path));
}

/** Makes an ES module of TypeScript that is written for CommonJS. An ES module imports files by their full names. */
export function toModule(text: string): string {
  // Only lines that are imports: other lines may have the contract's text.
  return text.replaceAll(/(?<=^(?:import .*|\}) from ')\.{1,2}\/[^']+(?=';$)/gm, (path) =>
    path === './handlers' ? './handlers/index.js' : `${path}.js`,
  );
}
