import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** @returns the bytes in all files */
export function measure(path: string): number {
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return entry.size;
  return readdirSync(path).reduce((sum, name) => sum + measure(join(path, name)), 0);
}

/** As the root file system of a container may be: nobody but root can change anything. */
export function makeReadOnly(path: string): void {
  const entry = lstatSync(path);
  if (entry.isSymbolicLink()) return;
  if (entry.isDirectory()) for (const name of readdirSync(path)) makeReadOnly(join(path, name));
  chmodSync(path, entry.mode & 0o555);
}

/** So that it can be removed. */
export function makeWritable(path: string): void {
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return;
  chmodSync(path, entry.mode | 0o700);
  for (const name of readdirSync(path)) makeWritable(join(path, name));
}
