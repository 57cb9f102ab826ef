// What the Dockerfile says, as far as it can be done without a container engine: no base image, and no isolation but that
// of a user and of a folder that nobody may write to. The Node is the one that runs this.
import { execFileSync, spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPort } from '../../tests/support/listen-on-loopback';
import { makeForeignEnvironment } from '../../tests/support/run-as-others';
import { findStage, findTexts, readContext, readDockerfile, toCommand, type Stage } from './read-dockerfile';
import { joinImage, toHost, TOKEN } from './start-container';

const START_MS = 30_000;
const context = readContext();

async function main(): Promise<void> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'image-')));
  try {
    chmodSync(base, 0o755);
    const env = makeEnvironment(base);
    const stages = readDockerfile();
    for (const stage of stages) buildStage(stage, join(base, 'stages'), env);
    await useImage(findStage(stages), join(base, 'stages/image'), String(env['PATH']));
  } finally {
    execFileSync('chmod', ['-R', 'u+w', base]);
    rmSync(base, { recursive: true });
  }
}

/** As on another machine that has this Node. */
function makeEnvironment(base: string): NodeJS.ProcessEnv {
  const bin = join(base, 'bin');
  mkdirSync(bin);
  copyFileSync(process.execPath, join(bin, 'node'), constants.COPYFILE_FICLONE);
  const env = makeForeignEnvironment();
  return { ...env, PATH: [bin, env['PATH']].join(delimiter) };
}

/** Carries out what a stage copies and runs, below a folder of its name that stands for the root of its file system. */
function buildStage({ name, steps }: Stage, folder: string, env: NodeJS.ProcessEnv): void {
  const root = join(folder, name);
  let cwd = '/';
  for (const { keyword, flags, text } of steps) {
    if (keyword === 'WORKDIR') cwd = resolve(cwd, text);
    mkdirSync(root + cwd, { recursive: true });
    if (keyword === 'COPY') {
      const paths = text.split(/\s+/);
      const target = String(paths.pop());
      const destination = join(root, resolve(cwd, target), target.endsWith('/') ? sep : '');
      for (const path of paths) copy(toSource(path, flags['from'], folder), destination);
    } else if (keyword === 'RUN') {
      console.log(`RUN ${text}`);
      execFileSync('sh', ['-c', toHost(text, root)], { cwd: root + cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
    }
  }
}

function toSource(path: string, from: string | undefined, folder: string): string {
  if (from !== undefined) return join(folder, from, path);
  if (!context.includes(String(path.split('/')[0]))) throw new Error(`${path}: Dockerfile.dockerignore keeps it away`);
  return path;
}

/** As COPY does: a file goes into a folder, of a folder what is in it. */
function copy(source: string, destination: string): void {
  const isFolder = destination.endsWith(sep) || (existsSync(destination) && statSync(destination).isDirectory());
  const isInto = isFolder && statSync(source).isFile();
  const options = { recursive: true, verbatimSymlinks: true };
  cpSync(source, isInto ? join(destination, basename(source)) : destination, options);
}

/** Starts what was built as the image's user, asks whether it is healthy as the image does, creates a plant and stops it. */
async function useImage(stage: Stage, root: string, path: string): Promise<void> {
  console.log(
    `${execFileSync('du', ['-sh', root], { encoding: 'utf8' }).split('\t', 1).join()} without the base image`,
  );
  // As the root file system of a container may be: nobody but root can change anything outside of the volume.
  execFileSync('chmod', ['-R', 'a-w', root]);
  const [volume = ''] = findTexts(stage, 'VOLUME');
  chmodSync(root + volume, 0o1777);
  const { cwd, command: own, env } = joinImage(stage, { env: { API_TOKENS: TOKEN, LOG_LEVEL: 'warn' }, folders: {} });
  const PORT = String(await findPort());
  const options = {
    cwd: root + cwd,
    ...toUser(findTexts(stage, 'USER')[0]),
    env: { ...env, PATH: path, PORT, ADMIN_PORT: String(await findPort()) },
  };
  const health = toCommand(findTexts(stage, 'HEALTHCHECK')[0]);
  expectStatus('the HEALTHCHECK before the start', runIn(health, options), 1);
  expectStatus('writing to the read-only folder', runIn(['node', '-e', `fs.writeFileSync('new', '')`], options), 1);

  const [command = '', ...args] = own.map((text) => toHost(text, root));
  const started = performance.now();
  const service = spawn(command, args, { ...options, stdio: 'inherit' });
  const ended = once(service, 'exit') as Promise<[number | null, string | null]>;
  try {
    while (runIn(health, options) !== 0) {
      if (service.exitCode !== null || performance.now() - started > START_MS)
        throw new Error('it does not become healthy');
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

/** Only root can be another one; anybody else is not root anyway. */
function toUser(user: string | undefined): { uid?: number; gid?: number } {
  const [uid = 0, gid = 0] = String(user).split(':').map(Number);
  if (!(uid > 0 && gid > 0)) throw new Error('USER has to be numbers, and not root');
  return process.getuid?.() === 0 ? { uid, gid } : {};
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
