// The limit of client connections.
import { readFileSync } from 'node:fs';

// The process has 33 descriptors open when it listens, with SQLite. The rest is for admin port, database and issuer.
const RESERVED_DESCRIPTORS = 48;

/** The wanted number of connections, or fewer if the process may not open enough files: proc_pid_limits(5) on Linux. */
export function readConnectionLimit(wanted: number, file = '/proc/self/limits'): number {
  // The first column is the limit that counts, the soft one. It is `unlimited`, no number, if there is none.
  const [, descriptors] = /^Max open files +(\d+)/m.exec(readTextOrNothing(file)) ?? [];
  return descriptors === undefined ? wanted : Math.max(1, Math.min(wanted, Number(descriptors) - RESERVED_DESCRIPTORS));
}

function readTextOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
