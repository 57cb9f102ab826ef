import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ProjectError } from './kit';

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

// At the top of a project: what is built, installed or stored there.
const NOT_COPIED = new Set(['node_modules', 'dist', 'data', '.git']);

/** A copy of a project in a temporary folder, without what is installed. Disposing of it deletes it. */
export interface ProjectCopy extends Disposable {
  readonly folder: string;
}

export function copyProject(root: string): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  cpSync(root, folder, { recursive: true, filter: (path) => !NOT_COPIED.has(relative(root, path)) });
  return {
    folder,
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Links the packages of some folders node_modules into a project; of two of one name, that of the earlier folder. */
export function linkModules(root: string, folders: readonly string[]): void {
  for (const folder of folders.filter((path) => existsSync(path))) {
    for (const name of readdirSync(folder).flatMap((entry) => listPackages(folder, entry))) {
      const link = join(root, 'node_modules', name);
      if (existsSync(link)) continue;
      mkdirSync(dirname(link), { recursive: true });
      // On Windows, a junction needs no administrator, as other links do.
      symlinkSync(join(folder, name), link, 'junction');
    }
  }
}

// A folder such as @types holds several packages.
function listPackages(folder: string, name: string): string[] {
  return name.startsWith('@') ? readdirSync(join(folder, name)).map((own) => join(name, own)) : [name];
}
