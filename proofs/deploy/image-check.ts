// Builds the Dockerfile with Buildah, and tries what it makes. No registry is asked: the base image is made of the programs
// of this machine and of the Node that runs this.
import { execFileSync, spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadAll } from 'js-yaml';
import { Client } from 'pg';
import { plantSchema } from '../../src/store/plant-schema';
import { findPort } from '../../tests/support/listen-on-loopback';
import { startPostgres } from '../../tests/support/start-postgres';
import { askStatus, createLoad, TOKEN, untilLoaded } from './load-service';

const START_MS = 30_000;
const FILE = 'deploy/Dockerfile';
const IMAGE = 'plant-store';
const MANIFEST = 'deploy/kubernetes.yaml';
const CONTROL_GROUPS = '/sys/fs/cgroup';
/** How many plants clients create before the pod is stopped. */
const PLANTS = 500;
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
    const mount = (): string => buildah('mount', buildah('from', '--pull=never', IMAGE));
    await useImage(Docker.config, mount());
    await usePod(Docker.config, mount(), join(base, 'secrets'));
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

/** What is used of the pod in the manifest. */
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Readonly<Record<'runAsUser' | 'runAsGroup' | 'fsGroup', number>>;
  readonly containers: readonly [PodContainer];
  readonly volumes: readonly [{ readonly secret: { readonly defaultMode: number } }];
}

interface PodContainer {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly resources: { readonly limits: { readonly cpu: string; readonly memory: string } };
  readonly volumeMounts: readonly [{ readonly mountPath: string }];
}

interface Probe {
  readonly httpGet: { readonly path: string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

/**
 * Starts the image as the pod of the manifest: its environment, secrets, user, rights, limits and probes, and a file system
 * that is read-only. Its tables wait for longer than the startup probe does; then it serves clients until it is stopped as
 * a pod is. Mounts and control groups of this machine stand in for an engine, a loop for the kubelet; nothing does for
 * seccomp, the network policy and the Service.
 */
async function usePod(image: Config, root: string, secrets: string): Promise<void> {
  const [deployment] = loadAll(readFileSync(MANIFEST, 'utf8')) as [{ spec: { template: { spec: Pod } } }];
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;
  await using postgres = await startPostgres();
  writeSecrets(secrets, { 'database-url': postgres.url, tokens: TOKEN }, pod);
  const [{ mountPath }] = container.volumeMounts;
  mkdirSync(root + mountPath, { recursive: true });
  const groups = createControlGroups(container.resources.limits);
  const migration = new Client(postgres.url);
  await migration.connect();
  await migration.query(`SELECT pg_advisory_lock(${String(plantSchema.id)})`);

  const [PORT, ADMIN_PORT] = [String(await findPort()), String(await findPort())];
  const own = Object.fromEntries(image.Env.map((pair) => pair.split(/=(.*)/s, 2) as [string, string]));
  const set = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
  const { runAsUser, runAsGroup } = pod.securityContext;
  const script = [
    ...groups.map((folder) => `echo $$ > ${folder}/cgroup.procs`),
    `mount --bind ${root} ${root}`,
    ...Object.keys(image.Volumes).map((volume) => `mount -t tmpfs -o mode=1777 volume ${root}${volume}`),
    `mount --bind ${secrets} ${root}${mountPath}`,
    `mount -o remount,bind,ro ${root}${mountPath}`,
    `mount -o remount,bind,ro ${root}`,
    // Those that chroot needs are gone with the user 0, and cannot come back.
    `exec setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid /usr/sbin/chroot ` +
      `--userspec=${String(runAsUser)}:${String(runAsGroup)} ${root} ${image.Entrypoint.join(' ')}`,
  ];
  const service = spawn('unshare', ['--mount', 'sh', '-e', '-c', script.join('\n')], {
    env: { PATH: process.env['PATH'], ...own, ...set, LOG_LEVEL: 'warn', PORT, ADMIN_PORT },
    stdio: 'inherit',
  });
  const ended = once(service, 'exit') as Promise<[number | null, string | null]>;
  const ask = ({ httpGet, timeoutSeconds }: Probe): Promise<number | undefined> =>
    askStatus(`http://127.0.0.1:${ADMIN_PORT}${httpGet.path}`, timeoutSeconds * 1000);
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const startupSeconds = startupProbe.periodSeconds * startupProbe.failureThreshold;
  let isStopping = false;
  try {
    await untilProbed(startupProbe, ask);
    const liveness = keepProbing(livenessProbe, ask, () => isStopping);
    await Promise.race([sleep(startupSeconds * 1000), liveness]);
    expectStatus(`readiness in a migration of over ${String(startupSeconds)} s`, await ask(readinessProbe), 503);
    const status = readFileSync(`/proc/${String(service.pid)}/status`, 'utf8');
    for (const line of [`Uid:\t${String(runAsUser)}\t`, 'CapEff:\t0000000000000000', 'NoNewPrivs:\t1'])
      expectStatus(`${line.replaceAll('\t', ' ')}in /proc`, status.includes(line), true);
    await migration.end();
    while ((await ask(readinessProbe)) !== 200) await Promise.race([sleep(100), liveness]);
    const load = createLoad(`http://127.0.0.1:${PORT}`);
    await Promise.race([untilLoaded(load, PLANTS), liveness]);
    expectStatus('readiness under load', await ask(readinessProbe), 200);
    const stopping = performance.now();
    await sleep(container.lifecycle.preStop.sleep.seconds * 1000);
    isStopping = true;
    service.kill('SIGTERM');
    const [exit, signal] = await ended;
    expectStatus('SIGTERM to the pod', exit ?? signal, 0);
    await load.ended;
    const [row] = await postgres.query('SELECT count(*)::int FROM plants');
    expectStatus('plants in the database, of those that were acknowledged', row?.['count'], load.count());
    const took = (performance.now() - stopping) / 1000;
    const grace = pod.terminationGracePeriodSeconds;
    expectStatus(`${took.toFixed(1)} s to stop are fewer than ${String(grace)}`, took < grace, true);
  } finally {
    isStopping = true;
    service.kill('SIGKILL');
    await ended;
    for (const folder of groups) rmdirSync(folder);
  }
}

/** Writes what a kubelet makes of a Secret. */
function writeSecrets(folder: string, texts: Readonly<Record<string, string>>, pod: Pod): void {
  mkdirSync(folder);
  for (const [name, text] of Object.entries(texts)) {
    const file = join(folder, name);
    writeFileSync(file, text);
    chownSync(file, 0, pod.securityContext.fsGroup);
    chmodSync(file, pod.volumes[0].secret.defaultMode);
  }
}

/** Creates control groups with the limits, of version 1 or 2; none where this machine does not allow it. */
function createControlGroups({ cpu, memory }: PodContainer['resources']['limits']): string[] {
  const bytes = String(Number(memory.replace('Mi', '')) * 1024 ** 2);
  const period = 100_000;
  const quota = String(Number(cpu) * period);
  const name = `plant-store-${String(process.pid)}`;
  const limits = existsSync(`${CONTROL_GROUPS}/cgroup.controllers`)
    ? [
        [name, 'memory.max', bytes],
        [name, 'cpu.max', `${quota} ${String(period)}`],
      ]
    : [
        [`memory/${name}`, 'memory.limit_in_bytes', bytes],
        [`cpu/${name}`, 'cpu.cfs_quota_us', quota],
      ];
  const folders = new Set<string>();
  for (const [group = '', file = '', value = ''] of limits) {
    const folder = join(CONTROL_GROUPS, group);
    try {
      mkdirSync(folder, { recursive: true });
      folders.add(folder);
      writeFileSync(join(folder, file), value);
      console.log(`limit: ${file} = ${value}`);
    } catch (error) {
      console.log(`not limited: ${file}, since ${(error as Error).message}`);
    }
  }
  return [...folders];
}

type AskProbe = (probe: Probe) => Promise<number | undefined>;

/** Asks until it is well. @throws Error when it fails as often as it may */
async function untilProbed(probe: Probe, ask: AskProbe): Promise<void> {
  for (let failures = 1; (await ask(probe)) !== 200; failures++) {
    if (failures >= probe.failureThreshold) throw new Error(`${probe.httpGet.path} was not well in time`);
    await sleep(probe.periodSeconds * 1000);
  }
}

/** Asks again and again, until `isOver`. @throws Error when it fails as often as it may, one time after the other */
async function keepProbing(probe: Probe, ask: AskProbe, isOver: () => boolean): Promise<void> {
  let failures = 0;
  while (!isOver()) {
    failures = (await ask(probe)) === 200 || isOver() ? 0 : failures + 1;
    if (failures >= probe.failureThreshold)
      throw new Error(
        `${probe.httpGet.path} failed ${String(failures)} times: the kubelet would restart the container`,
      );
    await sleep(probe.periodSeconds * 1000, undefined, { ref: false });
  }
}

function runIn([command = '', ...args]: readonly string[], options: SpawnOptions): number | null {
  return spawnSync(command, args, { ...options, stdio: 'ignore' }).status;
}

function expectStatus(what: string, status: unknown, expected: unknown): void {
  if (status !== expected) throw new Error(`${what}: ${String(status)} instead of ${String(expected)}`);
  console.log(`${what}: ${String(status)}`);
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
