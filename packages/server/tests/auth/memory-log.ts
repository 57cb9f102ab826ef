import type { AuthLog } from '../../src/auth/tokens';

/** A log that keeps its lines. */
export function createMemoryLog(): AuthLog & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    info: (message) => lines.push(`info ${message}`),
    warn: (message) => lines.push(`warn ${message}`),
  };
}
