import { readFileSync } from 'node:fs';

// The process itself has 33 open when it listens, on SQLite; the rest is for the admin port, a database and an issuer.
const RESERVED = 48;

/**
 * How many connections clients may have: as many as are wanted, but never so many that no file descriptor is left for the
 * admin port, the store and the keys of an issuer.
 *
 * @param file the limits of this process as Linux has them (proc_pid_limits(5)); without it there is nothing to tell
 */
export function readConnectionLimit(wanted: number, file = '/proc/self/limits'): number {
  const [, descriptors] = /^Max open files +(\d+)/m.exec(readText(file)) ?? [];
  return descriptors === undefined ? wanted : Math.max(1, Math.min(wanted, Number(descriptors) - RESERVED));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
