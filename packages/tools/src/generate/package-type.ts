// Tells CommonJS and ES modules apart, as Node does: by `"type": "module"` in package.json.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the JavaScript of a folder with a package.json is ES modules. */
export function isModulePackage(folder: string): boolean {
  const file = join(folder, 'package.json');
  return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { type?: unknown }).type === 'module';
}

/** Makes an ES module of TypeScript that is written for CommonJS. An ES module imports files by their full names. */
export function toModule(text: string): string {
  // Only lines that are imports: other lines may have the contract's text.
  return text.replaceAll(/(?<=^(?:import .*|\}) from ')\.{1,2}\/[^']+(?=';$)/gm, (path) =>
    path === './handlers' ? './handlers/index.js' : `${path}.js`,
  );
}
