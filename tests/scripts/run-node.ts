import { spawnSync } from 'node:child_process';

/** Runs a script to its end; the output is what it writes, errors last. */
export function runNode(cwd: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}
