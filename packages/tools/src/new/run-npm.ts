import { spawnSync } from 'node:child_process';
import { ProjectError } from './options';

/** Runs npm in a folder, and returns its standard output. @throws ProjectError with its output when it fails */
export function runNpm(cwd: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: Infinity,
    // On Windows npm is a script, which needs a shell.
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    throw new ProjectError(`npm ${args.join(' ')} failed in ${cwd}:\n${error?.message ?? stdout + stderr}`, {
      cause: error,
    });
  }
  return stdout;
}
