// Records what the kit wrote into a project.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProjectError } from './kit';

export const RECORD_FILE = 'vendor/kit.json';

/** The text of each file that was written into a project, by path. */
export type KitRecord = Readonly<Record<string, string>>;

/** @throws ProjectError when the folder has no record: it is no project that was made with the kit */
export function readRecord(root: string): KitRecord {
  const file = join(root, RECORD_FILE);
  if (!existsSync(file))
    throw new ProjectError(`${root} has no ${RECORD_FILE}: packages/tools/moving.md tells how to come here`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as KitRecord;
  } catch (error) {
    throw new ProjectError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
