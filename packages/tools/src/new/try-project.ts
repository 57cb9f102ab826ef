import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { NewError } from './options';

const LEFT = new Set(['node_modules', 'dist', 'data', '.git']);

/**
 * Compiles a copy of a project and tries its start, with the packages that are installed here in the place of its own.
 *
 * @param packages the folder node_modules
 * @throws NewError with what the compiler or the service says
 */
export function tryProject(root: string, packages: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'try-'));
  try {
    cpSync(root, folder, { recursive: true, filter: (path) => path === root || !LEFT.has(basename(path)) });
    symlinkSync(packages, join(folder, 'node_modules'), 'junction');
    const compiler = require.resolve('typescript/bin/tsc');
    run(folder, [compiler], 'does not compile');
    run(folder, [compiler, '-p', 'src'], 'does not compile');
    run(folder, ['dist/main.js', '--check'], 'does not start');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(cwd: string, args: readonly string[], problem: string): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'silent', PORT: '0', ADMIN_PORT: '0' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new NewError(`the project ${problem}:\n${stdout}${stderr}`);
}
