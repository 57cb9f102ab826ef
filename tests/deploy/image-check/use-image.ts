import { spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTexts, readEnv, toCommand, type Stage } from './read-dockerfile';

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
  expectStatus('the HEALTHCHECK before the start', run(health, options), 1);
  expectStatus('writing to the read-only folder', run(['node', '-e', `fs.writeFileSync('new', '')`], options), 1);

  const [command = '', ...args] = toCommand(findTexts(stage, 'ENTRYPOINT')[0]);
  const started = performance.now();
  const service = spawn(command, args, { ...options, stdio: 'inherit' });
  const ended = once(service, 'exit') as Promise<[number | null, string | null]>;
  try {
    while (run(health, options) !== 0) {
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

function run([command = '', ...args]: readonly string[], options: SpawnOptions): number | null {
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
