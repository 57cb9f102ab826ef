import { spawnSync } from 'node:child_process';
import { linkModules, type ProjectCopy } from './copy-project';
import { ProjectError } from './options';

/**
 * Compiles a copy of a project, and tries that its service starts. Packages are linked into the copy, not installed.
 *
 * @throws ProjectError with the output of the compiler or the service
 */
export function tryProject({ folder }: ProjectCopy, modules: readonly string[]): void {
  linkModules(folder, modules);
  const compiler = require.resolve('typescript/bin/tsc');
  // Checks the types of everything, including the tests. It writes nothing.
  runNode(folder, [compiler], 'does not compile');
  runNode(folder, [compiler, '-p', 'src'], 'does not compile');
  // With --check, the service starts and ends.
  runNode(folder, ['dist/main.js', '--check'], 'does not start');
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
