import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findPort } from '../support/find-port';

/** A server that listens. */
export interface Running extends AsyncDisposable {
  readonly base: URL;
}

/** The token of the servers that take it from their environment. */
export const TOKEN = 'a-token-for-the-foreign';

const PACKAGES = resolve('tests/specificity/node_modules');
// Debian has nginx and haproxy among the programs of root.
const ENV = { ...process.env, PATH: `${String(process.env['PATH'])}:/usr/sbin`, TOKEN, NODE_PATH: PACKAGES };

/** Whether a program is on this machine. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['-v'], { stdio: 'ignore', env: ENV }).status === 0;
}

/** A module of Node that tells its parent the port, with the packages of this folder. */
export async function startModule(file: string): Promise<Running> {
  const child = fork(file, [], { env: ENV, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [{ port }] = (await Promise.race([once(child, 'message'), failing(child, file)])) as [{ port: number }];
  return running(child, port);
}

/** Prism's command, which serves the examples of a contract. */
export async function startPrism(contract: string): Promise<Running> {
  const port = await findPort();
  const args = [join(PACKAGES, '@stoplight/prism-cli/dist/index.js'), 'mock', contract, '-h', '127.0.0.1'];
  return listening(spawn(process.execPath, [...args, '-p', String(port)], { env: ENV, stdio: 'ignore' }), port);
}

/** nginx as a reverse proxy, with what it has by default. @param settings for its `server` */
export function startNginx(behind: number, settings = ''): Promise<Running> {
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`);
  return startProxy('nginx', ['-p', '.', '-c'], (port) => [
    `${user} daemon off; worker_processes 1; pid nginx.pid; error_log stderr crit; events {}`,
    `http { access_log off; ${temporary.join(' ')}`,
    `server { listen 127.0.0.1:${String(port)}; ${settings}`,
    `location / { proxy_pass http://127.0.0.1:${String(behind)}; proxy_http_version 1.1; } } }`,
  ]);
}

/** haproxy as a reverse proxy. */
export function startHaproxy(behind: number): Promise<Running> {
  return startProxy('haproxy', ['-db', '-f'], (port) => [
    ...['defaults', '  mode http', '  timeout connect 5s', '  timeout client 60s', '  timeout server 60s'],
    ...['frontend all', `  bind 127.0.0.1:${String(port)}`, '  default_backend plants'],
    ...['backend plants', `  server plants 127.0.0.1:${String(behind)}`],
  ]);
}

/** @param args the last one before the file */
async function startProxy(
  program: string,
  args: readonly string[],
  write: (port: number) => readonly string[],
): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), `${program}-`));
  const port = await findPort();
  const file = join(folder, 'settings.conf');
  writeFileSync(file, `${write(port).join('\n')}\n`);
  const child = spawn(program, [...args, file], { cwd: folder, env: ENV, stdio: ['ignore', 'ignore', 'inherit'] });
  const proxy = await listening(child, port);
  return {
    base: proxy.base,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

async function listening(child: ChildProcess, port: number): Promise<Running> {
  const failure = failing(child, child.spawnfile);
  while (!(await Promise.race([canConnect(port), failure]))) await setTimeout(20);
  return running(child, port);
}

async function failing(child: ChildProcess, name: string): Promise<never> {
  const [status] = (await once(child, 'exit')) as [number | null];
  throw new Error(`${name} ended with ${String(status)} before it listened`);
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function running(child: ChildProcess, port: number): Running {
  return {
    base: new URL(`http://127.0.0.1:${String(port)}`),
    async [Symbol.asyncDispose]() {
      // nginx ends its workers at SIGTERM.
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    },
  };
}
