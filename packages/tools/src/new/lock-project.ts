import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNpm } from './run-npm';

interface Lock {
  packages: Record<string, unknown>;
}

const LOCK = 'package-lock.json';

/**
 * Makes the package-lock.json of a project fit its package.json. Versions that are locked stay. It is made in a folder
 * of its own with an empty cache, so that nothing that another project left there gets into it, and nothing is installed.
 *
 * @param root the project
 * @param start a package-lock.json to start from
 */
export function lockProject(root: string, start: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  try {
    const project = join(folder, 'project');
    mkdirSync(project);
    for (const name of ['package.json', '.npmrc']) {
      if (existsSync(join(root, name))) copyFileSync(join(root, name), join(project, name));
    }
    cpSync(join(root, 'vendor'), join(project, 'vendor'), { recursive: true });
    writeFileSync(join(project, LOCK), JSON.stringify(withoutKit(JSON.parse(readFileSync(start, 'utf8')) as Lock)));
    runNpm(project, [
      'install',
      '--package-lock-only',
      '--ignore-scripts',
      '--omit-lockfile-registry-resolved',
      '--no-audit',
      '--no-fund',
      '--cache',
      join(folder, 'cache'),
    ]);
    copyFileSync(join(project, LOCK), join(root, LOCK));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// The kit comes from vendor/.
function withoutKit(lock: Lock): Lock {
  const kept = Object.entries(lock.packages).filter(
    ([path]) => path === '' || !/(^packages|@contract-kit)\//.test(path),
  );
  return { ...lock, packages: Object.fromEntries(kept) };
}
