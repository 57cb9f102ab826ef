// Builds the image with Buildah, and runs it as the pod of the manifest. No registry is asked: the base image consists of
// programs of this machine. Nothing stands in for seccomp, control groups, the network policy and the Service.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { IPodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec';
import { loadAll } from 'js-yaml';
import { findPort } from '@contract-kit/test-support/listen-on-loopback';
import { startPostgres } from '@contract-kit/test-support/start-postgres';
import { until } from '@contract-kit/test-support/until';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';

type Pod = NonNullable<IPodTemplateSpec['spec']>;

const FILE = join(SERVICE_FOLDER, 'deploy/Dockerfile');
const TOKEN = 'a-token-for-the-tests';
/** What the steps of the Dockerfile run, besides Node and npm. */
const PROGRAMS = ['cat', 'chmod', 'env', 'mkdir', 'sh', 'uname'];
/** What npm needs from this machine: its cache, its settings, and the authorities that it trusts. */
const OF_MACHINE = ['/etc/ssl', '/root/.npm', '/root/.npmrc', '/usr/etc', '/usr/share/ca-certificates'];

interface Image {
  readonly root: string;
  readonly config: {
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Volumes: object;
  };
}

const isPossible = process.getuid?.() === 0 && spawnSync('buildah', ['--version']).status === 0;
if (!isPossible) process.stderr.write('The image was not built, because that requires Buildah and root.\n');

const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

function buildImage(base: string): Image {
  const storage = ['--storage-driver', 'vfs', '--root', join(base, 'root'), '--runroot', join(base, 'run')];
  const buildah = (...args: readonly string[]): string => run('buildah', ...storage, ...args);
  const [, name = ''] = /^FROM (\S+)/m.exec(fs.readFileSync(FILE, 'utf8')) ?? [];
  const container = buildah('from', 'scratch');
  fillBaseImage(buildah('mount', container));
  buildah('umount', container);
  buildah('commit', '--quiet', '--rm', container, name);
  const volumes = OF_MACHINE.filter((path) => fs.existsSync(path)).flatMap((path) => ['--volume', `${path}:${path}`]);
  const options = ['--isolation', 'chroot', '--pull=never', '--format', 'docker', '--file', FILE, '--tag', 'image'];
  buildah('build', '--quiet', ...options, ...volumes, '--ignorefile', `${FILE}.dockerignore`, SERVICE_FOLDER);
  const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'image')) as { Docker: Pick<Image, 'config'> };
  return { root: buildah('mount', buildah('from', '--pull=never', 'image')), config: Docker.config };
}

/** Copies Node, npm and a few programs, with the libraries that they load. */
function fillBaseImage(root: string): void {
  for (const folder of ['etc', 'root', 'tmp', 'usr/bin', 'usr/lib/node_modules', 'usr/lib64'])
    fs.mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ['bin', 'lib', 'lib64']) fs.symlinkSync(`usr/${folder}`, join(root, folder));
  fs.chmodSync(join(root, 'tmp'), 0o1777);
  const programs = [...PROGRAMS.map((program) => run('which', program)), process.execPath];
  const libraries = programs.flatMap((file) => run('ldd', file).match(/\/\S+/g) ?? []);
  for (const file of new Set(libraries)) {
    fs.mkdirSync(dirname(root + file), { recursive: true });
    fs.copyFileSync(file, root + file);
  }
  for (const [index, file] of programs.entries()) fs.copyFileSync(file, `${root}/usr/bin/${PROGRAMS[index] ?? 'node'}`);
  const npm = dirname(dirname(run('realpath', run('which', 'npm'))));
  fs.cpSync(npm, join(root, 'usr/lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true });
  for (const command of ['npm', 'npx'])
    fs.symlinkSync(`../lib/node_modules/npm/bin/${command}-cli.js`, join(root, 'usr/bin', command));
}

/** A script that starts the image with the user, the rights and the mounts of the pod. */
function toScript({ root, config }: Image, pod: Pod, secrets: string, mountPath: string): string {
  const { runAsUser = 0, runAsGroup = 0 } = pod.securityContext ?? {};
  return [
    `mount --bind ${root} ${root}`,
    ...Object.keys(config.Volumes).map((volume) => `mount -t tmpfs -o mode=1777 volume ${root}${volume}`),
    `mount --bind ${secrets} ${root}${mountPath}`,
    `mount -o remount,bind,ro ${root}`,
    `exec setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid /usr/sbin/chroot ` +
      `--userspec=${String(runAsUser)}:${String(runAsGroup)} ${root} ${config.Entrypoint.join(' ')}`,
  ].join('\n');
}

(isPossible ? describe : describe.skip)('the image', () => {
  test('starts as the pod of the manifest, serves, and loses nothing when it is stopped', async () => {
    const base = fs.mkdtempSync(join(tmpdir(), 'image-'));
    const [{ spec }] = loadAll(fs.readFileSync(join(SERVICE_FOLDER, 'deploy/kubernetes.yaml'), 'utf8')) as [
      { spec: { template: { spec: Pod } } },
    ];
    const pod = spec.template.spec;
    const [container] = pod.containers;
    const { mountPath = '' } = container?.volumeMounts?.[0] ?? {};
    await using postgres = await startPostgres();
    try {
      const image = buildImage(base);
      const secrets = join(base, 'secrets');
      fs.mkdirSync(secrets);
      for (const [name, text] of Object.entries({ 'database-url': postgres.url, tokens: TOKEN })) {
        fs.writeFileSync(join(secrets, name), text);
        fs.chownSync(join(secrets, name), 0, Number(pod.securityContext?.fsGroup));
        fs.chmodSync(join(secrets, name), Number(pod.volumes?.[0]?.secret?.defaultMode));
      }
      fs.mkdirSync(image.root + mountPath, { recursive: true });
      const [PORT, ADMIN_PORT] = [String(await findPort()), String(await findPort())];
      const own = Object.fromEntries(image.config.Env.map((pair) => pair.split(/=(.*)/s, 2) as [string, string]));
      const set = Object.fromEntries(container?.env?.map(({ name, value }) => [name, String(value)]) ?? []);
      const service = spawn('unshare', ['--mount', 'sh', '-e', '-c', toScript(image, pod, secrets, mountPath)], {
        env: { PATH: process.env['PATH'], ...own, ...set, LOG_LEVEL: 'warn', PORT, ADMIN_PORT },
        stdio: 'inherit',
      });
      const ended = once(service, 'exit');
      try {
        for (const probe of [container?.startupProbe, container?.livenessProbe, container?.readinessProbe])
          await until(() => isOk(`http://127.0.0.1:${ADMIN_PORT}${String(probe?.httpGet?.path)}`));
        const status = fs.readFileSync(`/proc/${String(service.pid)}/status`, 'utf8');
        expect(status).toContain(`Uid:\t${String(pod.securityContext?.runAsUser)}\t`);
        expect(status).toContain('CapEff:\t0000000000000000');
        const load = Promise.all(Array.from({ length: 8 }, () => createPlants(`http://127.0.0.1:${PORT}/plants`)));
        await until(async () => Number((await postgres.query('SELECT count(*) FROM plants'))[0]?.['count']) > 500);
        service.kill('SIGTERM');
        const count = (await load).reduce((sum, acknowledged) => sum + acknowledged);
        expect(await ended).toEqual([0, null]);
        expect(await postgres.query('SELECT count(*)::int FROM plants')).toEqual([{ count }]);
      } finally {
        service.kill('SIGKILL');
        await ended;
      }
    } finally {
      fs.rmSync(base, { recursive: true });
    }
  });
});

function isOk(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Creates plants until nobody listens. @returns how many were acknowledged */
async function createPlants(url: string): Promise<number> {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  for (let count = 0; ;) {
    const body = JSON.stringify({ id: randomInt(2 ** 40), name: 'Rose' });
    try {
      count += Number((await fetch(url, { method: 'POST', headers, body })).ok);
    } catch (error) {
      // A client that finds nobody has sent nothing.
      if ((error as Error & { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED') return count;
      throw error;
    }
  }
}
