import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The SHA-256, in hexadecimal, of the names and texts of all files in a folder, at any depth, and of others. */
export function createFingerprint(folder: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  for (const name of [...names, ...files]) hash.update(JSON.stringify(name)).update(readFileSync(name)).update('\0');
  return hash.digest('hex');
}
