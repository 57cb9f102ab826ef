// Builds the Dockerfile with Buildah, and tries what it makes. No registry is asked: the base image is made of the programs
// of this machine and of the Node that runs this.
import { execFileSync, spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPort } from '../../tests/support/listen-on-loopback';

const START_MS = 30_000;
const FILE = 'deploy/Dockerfile';
const IMAGE = 'plant-store';
const TOKEN = 'a-token-for-the-tests';
/** What the steps of the Dockerfile run, beside Node and npm. */
const PROGRAMS = ['cat', 'chmod', 'env', 'mkdir', 'sh', 'uname'];
/** What npm needs of this machine: its packages, its settings, and whom it trusts. */
const OF_MACHINE = ['/etc/ssl', '/root/.npm', '/root/.npmrc', '/usr/etc', '/usr/share/ca-certificates'];

/** What Buildah tells of an image. */
interface Config {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Volumes: Readonly<Record<string, object>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

type Buildah = (...args: readonly string[]) => string;

async function main(): Promise<void> {
  if (process.getuid?.() !== 0 || spawnSync('buildah', ['--version']).status !== 0) {
    console.log('The image was not built, because that requires buildah and root.');
    return;
  }
  const base = mkdtempSync(join(tmpdir(), 'image-'));
  const storage = ['--storage-driver', 'vfs', '--root', join(base, 'root'), '--runroot', join(base, 'run')];
  const buildah: Buildah = (...args) =>
    execFileSync('buildah', [...storage, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  try {
    const [, from = ''] = /^FROM (\S+)/m.exec(readFileSync(FILE, 'utf8')) ?? [];
    makeBaseImage(buildah, from);
    const volumes = OF_MACHINE.filter((path) => existsSync(path)).flatMap((path) => ['--volume', `${path}:${path}`]);
    // The format of Docker has a HEALTHCHECK, that of OCI has none.
    const options = ['--isolation', 'chroot', '--pull=never', '--format', 'docker', '--file', FILE, '--tag', IMAGE];
    console.log(buildah('build', ...options, ...volumes, '--ignorefile', `${FILE}.dockerignore`, '.'));
    const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', IMAGE)) as { Docker: { config: Config } };
    await useImage(Docker.config, buildah('mount', buildah('from', '--pull=never', IMAGE)));
    buildah('umount', '--all');
  } finally {
    rmSync(base, { recursive: true });
  }
}

/** Makes an image of Node, npm and a few programs, with the libraries that they load. */
function makeBaseImage(buildah: Buildah, name: string): void {
  const container = buildah('from', 'scratch');
  const root = buildah('mount', container);
  for (const folder of ['etc', 'root', 'tmp', 'usr/bin', 'usr/lib/node_modules', 'usr/lib64'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${folder}`, join(root, folder));
  chmodSync(join(root, 'tmp'), 0o1777);
  const find = (program: string): string => execFileSync('which', [program], { encoding: 'utf8' }).trim();
  const programs = [...PROGRAMS.map(find), process.execPath];
  const libraries = programs.flatMap((file) => execFileSync('ldd', [file], { encoding: 'utf8' }).match(/\/\S+/g) ?? []);
  const copy = (from: string, to: string): void => {
    mkdirSync(dirname(root + to), { recursive: true });
    copyFileSync(from, root + to);
  };
  for (const file of new Set(libraries)) copy(file, file);
  for (const [index, file] of programs.entries()) copy(file, `/usr/bin/${PROGRAMS[index] ?? 'node'}`);
  const npm = dirname(dirname(execFileSync('realpath', [find('npm')], { encoding: 'utf8' }).trim()));
  cpSync(npm, join(root, 'usr/lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true });
  for (const command of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${command}-cli.js`, join(root, 'usr/bin', command));
  buildah('umount', container);
  buildah('commit', '--quiet', '--rm', container, name);
}

/** Starts what was built as the image's user, asks whether it is healthy as the image does, creates a plant and stops it. */
async function useImage(image: Config, root: string): Promise<void> {
  console.log(`${execFileSync('du', ['-sh', root], { encoding: 'utf8' }).split('\t', 1).join()} with the base image`);
  // As the root file system of a container may be: nobody but root can change anything outside of the volume.
  execFileSync('chmod', ['-R', 'a-w', root]);
  for (const volume of Object.keys(image.Volumes)) chmodSync(root + volume, 0o1777);
  if (!/^[1-9]\d*:[1-9]\d*$/.test(image.User)) throw new Error('USER must be numbers, and not root');
  const PORT = String(await findPort());
  const own = Object.fromEntries(image.Env.map((pair) => pair.split(/=(.*)/s, 2) as [string, string]));
  const ports = { PORT, ADMIN_PORT: String(await findPort()) };
  const options = { env: { PATH: '/usr/bin', ...own, API_TOKENS: TOKEN, LOG_LEVEL: 'warn', ...ports } };
  if (image.WorkingDir !== '/') throw new Error(`chroot starts in /, not in ${image.WorkingDir}`);
  const inside = (command: readonly string[]): string[] => [
    '/usr/sbin/chroot',
    `--userspec=${image.User}`,
    root,
    ...command,
  ];
  const health = inside(image.Healthcheck.Test.slice(1));
  expectStatus('the HEALTHCHECK before the start', runIn(health, options), 1);
  const write = inside(['node', '-e', `fs.writeFileSync('/app/new', '')`]);
  expectStatus('writing to the read-only folder', runIn(write, options), 1);

  const [command = '', ...args] = inside(image.Entrypoint);
  const started = performance.now();
  const service = spawn(command, args, { ...options, stdio: 'inherit' });
  const ended = once(service, 'exit') as Promise<[number | null, string | null]>;
  try {
    while (runIn(health, options) !== 0) {
      if (service.exitCode !== null || performance.now() - started > START_MS)
        throw new Error('the container does not become healthy');
      await sleep(100);
    }
    console.log(`healthy after ${(performance.now() - started).toFixed(0)} ms`);
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
    const body = '{"id":1,"name":"Rose","tag":"flower"}';
    const { status } = await fetch(`http://127.0.0.1:${PORT}/plants`, { method: 'POST', headers, body });
    expectStatus('creating a plant', status, 200);
    service.kill('SIGTERM');
    const [exit, signal] = await ended;
    expectStatus('SIGTERM', exit ?? signal, 0);
  } finally {
    service.kill('SIGKILL');
  }
}

function runIn([command = '', ...args]: readonly string[], options: SpawnOptions): number | null {
  return spawnSync(command, args, { ...options, stdio: 'ignore' }).status;
}

function expectStatus(what: string, status: unknown, expected: number): void {
  if (status !== expected) throw new Error(`${what}: ${String(status)} instead of ${String(expected)}`);
  console.log(`${what}: ${String(status)}`);
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
