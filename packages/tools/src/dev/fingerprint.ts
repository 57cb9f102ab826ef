import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Hashes the names and texts of files: the hash changes when any of them is changed, added, renamed or deleted.
 *
 * @param folder all files in it, at any depth
 * @param files the paths of more files
 * @returns the SHA-256 in hexadecimal
 */
export function createFingerprint(folder: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  for (const name of [...names, ...files]) hash.update(JSON.stringify(name)).update(readFileSync(name)).update('\0');
  return hash.digest('hex');
}
