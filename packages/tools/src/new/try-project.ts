import { spawnSync } from 'node:child_process';
import { linkModules, type ProjectCopy } from './copy-project';
import { NewError } from './options';

/**
 * Compiles a copy of a project and tries its start. The copy keeps the links and the compiled code.
 *
 * @param modules folders node_modules to link packages from; an earlier one wins
 * @throws NewError with what the compiler or the service says
 */
export function tryProject({ folder }: ProjectCopy, modules: readonly string[]): void {
  linkModules(folder, modules);
  const compiler = require.resolve('typescript/bin/tsc');
  // Checks the types of everything, including the tests. It writes nothing.
  run(folder, [compiler], 'does not compile');
  // Builds dist/.
  run(folder, [compiler, '-p', 'src'], 'does not compile');
  run(folder, ['dist/main.js', '--check'], 'does not start');
}

function run(cwd: string, args: readonly string[], problem: string): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'silent', PORT: '0', ADMIN_PORT: '0' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new NewError(`the project ${problem}:\n${stdout}${stderr}`);
}
