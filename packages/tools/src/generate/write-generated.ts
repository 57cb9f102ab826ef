// Writes `generated/`, or finds what of it is stale.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BUNDLE } from '../bundle/bundle-contract';
import { generate } from './generate';

const CONTRACT = 'openapi.yaml';
const FOLDER = 'generated';

/**
 * The files of generated/ that are not what openapi.yaml makes, with the text that they should have; undefined for one that
 * should not be there.
 *
 * @example const stale = Object.keys(await findStale()) // ['api.d.ts']
 */
export async function findStale(): Promise<Record<string, string | undefined>> {
  const files = { [basename(BUNDLE)]: undefined, ...(await generate(readFileSync(CONTRACT, 'utf8'), CONTRACT)) };
  return Object.fromEntries(Object.entries(files).filter(([name, text]) => readGenerated(name) !== text));
}

/**
 * Makes generated/ what openapi.yaml says, and returns the names of the files that were not.
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
