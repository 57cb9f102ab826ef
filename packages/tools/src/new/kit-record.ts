// Records what the kit wrote into a project.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NewError } from './options';

/** The file of a project that keeps what the kit wrote into it. */
export const RECORD = 'vendor/kit.json';

/** The text of each file that was written into a project, by path. */
export type KitRecord = Readonly<Record<string, string>>;

/** @throws NewError when a folder is no project that was made with the kit */
export function readRecord(root: string): KitRecord {
  const file = join(root, RECORD);
  if (!existsSync(file))
    throw new NewError(`${root} has no ${RECORD}: packages/tools/moving.md tells how to come here`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as KitRecord;
  } catch (error) {
    throw new NewError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
