// Copies a project to try it.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

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
