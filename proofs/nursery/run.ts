// Starts the nursery of examples/ as its README says, makes it anew from packed packages, and runs its checks.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createProject, packKit, type Kit } from '@contract-kit/tools/new';
import { makeForeignEnvironment, runNpm } from '../../tests/support/run-as-others';
import { LISTENING } from '../../tests/support/start-process';

// The acceptance test of the kit: a service of another team, made by `npm run new` and then built. It is made anew from
// its contract in an empty folder, gets what its team has written, is installed with packed packages, and runs its checks.
// With a folder as argument, it stays there.

const NURSERY = 'examples/nursery';
// What is made or installed, and the file that names the packages by their tarballs.
const LEFT = new Set(['node_modules', 'dist', 'data', 'reports', 'package.json']);
// What its team has left as `npm run new` makes it.
const AS_MADE = ['.gitignore', 'tsconfig.json', 'src/tsconfig.json', 'src/main.ts', 'src/app.ts'];

async function main([folder]: readonly string[]): Promise<void> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'nursery-')));
  // Root starts PostgreSQL as a user of its own, who has to get to its program.
  chmodSync(base, 0o755);
  const root = folder === undefined ? join(base, 'nursery') : resolve(folder);
  try {
    await startInClone(join(base, 'clone'));
    const kit = packKit();
    await createProject({ contract: join(NURSERY, 'openapi.yaml'), folder: root, name: undefined }, () => kit);
    const stale = AS_MADE.filter((file) => readText(root, file) !== readText(NURSERY, file));
    if (stale.length > 0) throw new Error(`these files differ from those that npm run new makes: ${stale.join(', ')}`);
    cpSync(NURSERY, root, { recursive: true, filter: (path) => !LEFT.has(basename(path)) });
    writeFileSync(join(root, 'package.json'), withTarballs(readText(NURSERY, 'package.json'), kit));
    runNpm(root, ['install', '--prefer-offline', '--no-audit', '--no-fund']);
    runNpm(root, ['test']);
  } finally {
    rmSync(base, { recursive: true });
  }
}

/** Runs the first command of the README in a clone of this repository. @throws Error when no nursery listens then */
async function startInClone(clone: string): Promise<void> {
  const [, command = ''] = /^```sh\n(.*)\n```$/m.exec(readText(NURSERY, 'README.md')) ?? [];
  execFileSync('git', ['clone', '--quiet', '.', clone], { stdio: 'inherit' });
  const env = { ...makeForeignEnvironment(), PORT: '0', ADMIN_PORT: '0' };
  // A group of its own, which is ended with all that npm starts.
  const child = spawn('sh', ['-c', command], { cwd: clone, env, detached: true });
  const ended = once(child, 'close');
  let output = '';
  const url = new Promise<string | undefined>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        output += data.toString();
        const [, found] = LISTENING.exec(output) ?? [];
        if (found !== undefined) resolve(found);
      });
    child.on('close', () => {
      resolve(undefined);
    });
  });
  const base = await url;
  const status = base && (await fetch(new URL('/v1/plants', base))).status;
  if (base) process.kill(-Number(child.pid));
  await ended;
  if (status !== 200) throw new Error(`${command}: the list of plants has the status ${String(status)}\n${output}`);
  console.log(`${command}: the service listens`);
}

function readText(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

/** A package.json that names the packages of the kit by their tarballs, wherever they were. */
function withTarballs(text: string, { packages }: Kit): string {
  return packages.reduce(
    (manifest, { name, specifier }) =>
      manifest.replace(new RegExp(`("${name}": )".*"`), `$1${JSON.stringify(specifier)}`),
    text,
  );
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
