import { spawnSync, spawn, type SpawnOptions } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync, chmodSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { findTexts, readEnv, toCommand, type Stage, type Step } from './read-dockerfile';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where the steps are carried out. */
interface Place {
  /** A stage's root is in it, by the stage's name. */
  readonly folder: string;
  /** What of the current folder may be copied. */
  readonly context: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Carries out what a stage copies and runs, below a folder that stands for the root of its file system.
 *
 * @returns the working directory
 */
export function buildStage(stage: Stage, place: Place): string {
  const root = join(place.folder, stage.name);
  mkdirSync(root, { recursive: true });
  let cwd = '/';
  for (const step of stage.steps) {
    if (step.keyword === 'WORKDIR') {
      cwd = resolve(cwd, step.text);
      mkdirSync(root + cwd, { recursive: true });
    } else if (step.keyword === 'COPY') {
      copy(step, root, cwd, place);
    } else if (step.keyword === 'RUN') {
      run(step.text, root, cwd, place);
    }
  }
  return root + cwd;
}

function copy({ flags, text }: Step, root: string, cwd: string, { folder, context }: Place): void {
  const paths = text.split(/\s+/);
  const target = String(paths.pop());
  const destination = root + resolve(cwd, target);
  const isFolder = target.endsWith('/') || (existsSync(destination) && statSync(destination).isDirectory());
  for (const path of paths) {
    const { from } = flags;
    if (from === undefined && !context.includes(String(path.split('/')[0]))) {
      throw new Error(`COPY ${path}: Dockerfile.dockerignore keeps it away`);
    }
    const source = from === undefined ? path : join(folder, from, path);
    // As in a Dockerfile: a file goes into a folder, of a folder what is in it.
    const isInto = isFolder && statSync(source).isFile();
    cpSync(source, isInto ? join(destination, basename(path)) : destination, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

function run(text: string, root: string, cwd: string, { env }: Place): void {
  console.log(`RUN ${text}`);
  const command = text.replace(/(?<=\s)\/(?=\w)/g, root + sep);
  const { status } = spawnSync('sh', ['-c', command], { cwd: root + cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`RUN ${text}: ended with ${String(status)}`);
}

/** @returns the bytes in all files */
export function measure(path: string): number {
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return entry.size;
  return readdirSync(path).reduce((sum, name) => sum + measure(join(path, name)), 0);
}

/** As the root file system of a container may be: nobody but root can change anything. */
export function makeReadOnly(path: string): void {
  const entry = lstatSync(path);
  if (entry.isSymbolicLink()) return;
  if (entry.isDirectory()) for (const name of readdirSync(path)) makeReadOnly(join(path, name));
  chmodSync(path, entry.mode & 0o555);
}

/** So that it can be removed. */
export function makeWritable(path: string): void {
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return;
  chmodSync(path, entry.mode | 0o700);
  for (const name of readdirSync(path)) makeWritable(join(path, name));
}

const TOKEN = 'a-token-for-the-image-check';
const PLANT = { id: 1, name: 'Rose', tag: 'flower' };
const START_MS = 30_000;

/**
 * Starts what was built as the image's user, asks whether it is healthy as the image does, creates a plant and stops it.
 *
 * @param env the environment, without the image's own
 * @returns lines about it
 */
export async function useImage(stage: Stage, cwd: string, env: Record<string, string>): Promise<string[]> {
  const root = cwd.slice(0, -String(findTexts(stage, 'WORKDIR')[0]).length);
  const [volume = ''] = findTexts(stage, 'VOLUME');
  const [port, adminPort] = [await findPort(), await findPort()];
  const own = readEnv(stage);
  const options = {
    cwd,
    ...toUser(findTexts(stage, 'USER')[0]),
    env: {
      ...env,
      ...own,
      DATABASE_URL: String(own['DATABASE_URL']).replace(volume, root + volume),
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      API_TOKENS: TOKEN,
      LOG_LEVEL: 'warn',
    },
  };
  const health = toCommand(findTexts(stage, 'HEALTHCHECK')[0]);
  expectStatus('the HEALTHCHECK before the start', runIn(health, options), 1);
  expectStatus('writing to the read-only folder', runIn(['node', '-e', `fs.writeFileSync('new', '')`], options), 1);

  const [command = '', ...args] = toCommand(findTexts(stage, 'ENTRYPOINT')[0]);
  const started = performance.now();
  const service = spawn(command, args, { ...options, stdio: 'inherit' });
  const ended = once(service, 'exit') as Promise<[number | null, string | null]>;
  try {
    while (runIn(health, options) !== 0) {
      if (service.exitCode !== null || performance.now() - started > START_MS)
        throw new Error('it does not become healthy');
      await sleep(100);
    }
    const healthy = performance.now() - started;
    const { status } = await fetch(`http://127.0.0.1:${String(port)}/plants`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(PLANT),
    });
    expectStatus('creating a plant', status, 200);
    const memory = readMemory(Number(service.pid));
    const stopping = performance.now();
    service.kill('SIGTERM');
    const [exit, signal] = await ended;
    expectStatus('SIGTERM', exit ?? signal, 0);
    return [
      `healthy after ${healthy.toFixed(0)} ms, ${memory} of memory at most; a plant was created`,
      `ended with 0, ${(performance.now() - stopping).toFixed(0)} ms after SIGTERM`,
    ];
  } finally {
    service.kill('SIGKILL');
  }
}

function runIn([command = '', ...args]: readonly string[], options: SpawnOptions): number | null {
  return spawnSync(command, args, { ...options, stdio: 'ignore' }).status;
}

function expectStatus(what: string, status: unknown, expected: number): void {
  if (status !== expected) throw new Error(`${what}: ${String(status)} instead of ${String(expected)}`);
}

/** Only root can be another one; anybody else is not root anyway. */
function toUser(user: string | undefined): { uid?: number; gid?: number } {
  const [uid = 0, gid = 0] = String(user).split(':').map(Number);
  if (!(uid > 0 && gid > 0)) throw new Error('USER has to be numbers, and not root');
  return process.getuid?.() === 0 ? { uid, gid } : {};
}

function readMemory(pid: number): string {
  const file = `/proc/${String(pid)}/status`;
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(existsSync(file) ? readFileSync(file, 'utf8') : '') ?? [];
  return kilobytes === undefined ? 'an unknown amount' : `${(Number(kilobytes) / 1024).toFixed(0)} MiB`;
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
