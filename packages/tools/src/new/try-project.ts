// Tries whether a project compiles and starts.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProjectError } from './kit';

/**
 * Compiles a copy of a new project, and tries that its service starts. Packages are linked into the copy, not installed.
 *
 * @param modules the folder node_modules with the packages
 * @throws ProjectError with the output of the compiler or the service
 */
export function tryProject(root: string, modules: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  try {
    cpSync(root, folder, { recursive: true });
    // On Windows, a junction needs no administrator, as other links do.
    symlinkSync(modules, join(folder, 'node_modules'), 'junction');
    const compiler = require.resolve('typescript/bin/tsc');
    // Checks the types of everything, including the tests. It writes nothing.
    runNode(folder, [compiler], 'does not compile');
    runNode(folder, [compiler, '-p', 'src'], 'does not compile');
    // With --check, the service starts and ends.
    runNode(folder, ['dist/main.js', '--check'], 'does not start');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// With settings by which a service logs nothing and takes free ports.
function runNode(cwd: string, args: readonly string[], problem: string): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'silent', PORT: '0', ADMIN_PORT: '0' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new ProjectError(`the project ${problem}:\n${stdout}${stderr}`);
}
