// Writes `generated/`, or finds its stale files.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BUNDLE } from '../bundle/bundle-contract';
import { generate } from './generate';

const CONTRACT = 'openapi.yaml';
const FOLDER = 'generated';

/**
 * Finds the files of generated/ that are not what openapi.yaml makes now.
 *
 * @returns the right text of each, by name; undefined for a file that should not be there
 * @example const stale = Object.keys(await findStale()) // ['api.d.ts']
 */
export async function findStale(): Promise<Record<string, string | undefined>> {
  // Only a contract of several files makes a bundle: one that an earlier contract left should not be there.
  const files = { [basename(BUNDLE)]: undefined, ...(await generate(readFileSync(CONTRACT, 'utf8'), CONTRACT)) };
  return Object.fromEntries(Object.entries(files).filter(([name, text]) => readGenerated(name) !== text));
}

/**
 * Writes the stale files of generated/, and returns their names.
 *
 * @example console.log(await writeGenerated()) // ['api.d.ts', 'handlers.d.ts']
 */
export async function writeGenerated(): Promise<string[]> {
  const stale = await findStale();
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of Object.entries(stale)) {
    if (text === undefined) rmSync(join(FOLDER, name));
    else writeFileSync(join(FOLDER, name), text);
  }
  return Object.keys(stale);
}

function readGenerated(name: string): string | undefined {
  const file = join(FOLDER, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
