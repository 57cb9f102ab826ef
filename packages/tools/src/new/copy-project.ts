// Copies a project to try it.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

// At the top of a project: what is made, installed or kept there.
const LEFT = new Set(['node_modules', 'dist', 'data', '.git']);

/** A copy of a project in a folder of its own, without what is installed. It goes when it is disposed of. */
export interface ProjectCopy extends Disposable {
  readonly folder: string;
}

export function copyProject(root: string): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  cpSync(root, folder, { recursive: true, filter: (path) => !LEFT.has(relative(root, path)) });
  return {
    folder,
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Links packages into a project: those of the first folder node_modules that has one. */
export function linkModules(root: string, folders: readonly string[]): void {
  for (const folder of folders.filter((one) => existsSync(one))) {
    for (const name of readdirSync(folder).flatMap((one) => namesIn(folder, one))) {
      const link = join(root, 'node_modules', name);
      if (existsSync(link)) continue;
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(folder, name), link, 'junction');
    }
  }
}

function namesIn(folder: string, name: string): string[] {
  return name.startsWith('@') ? readdirSync(join(folder, name)).map((own) => join(name, own)) : [name];
}
