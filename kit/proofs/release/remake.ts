// Makes the service in SERVICE anew from its contract, adds its own lines, and tests it with packed packages: what users of
// the kit get is what the service consists of.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createProject } from '@contract-kit/tools/new';
import { findAjvs, runNpm } from '@contract-kit/test-support/run-as-others';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';

const MOST_LINES = 250;
// Pages, released contracts, and what copies the folder of the kit or plants are the team's own, and npm writes the lock.
const NOT_COUNTED = ['*.md', 'docs', 'contracts', 'deploy/Dockerfile*', 'deploy/*.mjs', 'kit', 'package-lock.json'];
/** Files that name the folder of the kit. */
const OF_KIT = ['.ci/run', 'scripts/check.ts', 'src/tsconfig.json'];

interface Manifest {
  readonly name: string;
  readonly scripts: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

async function main(): Promise<void> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'remake-')));
  // Where root runs this, PostgreSQL is started by a user of its own.
  chmodSync(base, 0o755);
  try {
    const folder = join(base, 'project');
    const { name } = readManifest(SERVICE_FOLDER);
    await createProject({ contract: join(SERVICE_FOLDER, 'openapi.yaml'), folder, name, hasStore: true });
    const files = listFiles();
    const counts = files.map((file) => [file, countOwnLines(file, folder)] as const).filter(([, lines]) => lines > 0);
    for (const [file, lines] of counts) console.log(`${String(lines).padStart(5)}  ${file}`);
    const sum = counts.reduce((total, [, lines]) => total + lines, 0);
    if (sum > MOST_LINES) throw new Error(`${String(sum)} lines are its own, more than ${String(MOST_LINES)}`);

    applyOwnLines(
      counts.map(([file]) => file).filter((file) => !OF_KIT.includes(file)),
      folder,
    );
    await runNpm(folder, ['install', '--prefer-offline', '--no-audit', '--no-fund'], 'added');
    await runNpm(folder, ['test'], 'ok  start -- --check');
    await runNpm(folder, ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'], 'added');
    const forks = findAjvs(folder).filter((ajv) => !ajv.startsWith('ajv@'));
    if (forks.length > 0) throw new Error(`the validator runs with a fork of Ajv: ${forks.join(', ')}`);
    const env = { ...process.env, PORT: '0', ADMIN_PORT: '0' };
    execFileSync(process.execPath, ['dist/main.js', '--check'], { cwd: folder, env });
    console.log(
      `result: ${String(sum)} lines of its own; it passes its tests, and starts without what is for development`,
    );
  } finally {
    rmSync(base, { recursive: true });
  }
}

function listFiles(): string[] {
  const excluded = NOT_COUNTED.map((path) => `:(exclude)${path}`);
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', '.', ...excluded];
  return execFileSync('git', args, { cwd: SERVICE_FOLDER, encoding: 'utf8' }).trim().split('\n');
}

/** Counts the lines that the new project does not have in this file. */
function countOwnLines(file: string, folder: string): number {
  const left = readText(join(folder, file)).split('\n');
  const own = readText(join(SERVICE_FOLDER, file)).split('\n');
  return own.filter((line) => {
    const index = left.indexOf(line);
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  }).length;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

function applyOwnLines(files: readonly string[], folder: string): void {
  const made = readManifest(folder);
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(SERVICE_FOLDER, file), join(folder, file));
  }
  const { scripts, ...own } = readManifest(SERVICE_FOLDER);
  const manifest = {
    ...own,
    // Without what builds and tests the kit in its folder.
    scripts: Object.fromEntries(Object.entries(scripts).filter(([, text]) => !/ kit\b|prepare/.test(text))),
    dependencies: { ...own.dependencies, ...made.dependencies },
    devDependencies: { ...own.devDependencies, ...made.devDependencies },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
