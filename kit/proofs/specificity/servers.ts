import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findPort } from '@contract-kit/test-support/listen-on-loopback';
import type { CheckName } from '@contract-kit/conformance';
import { SECRETS, startApp } from '@contract-kit/test-support/start-app';

export const CONTRACT = 'packages/test-support/plants/openapi.yaml';

/** How a server is judged. */
export interface Manner {
  readonly secrets: Readonly<Record<string, string>>;
  /** In milliseconds. */
  readonly timeout: number;
}

/** A server that listens. */
interface Running extends AsyncDisposable {
  readonly base: URL;
}

/** The token of the servers that take it from their environment. */
const TOKEN = 'a-token-for-the-foreign';

const PACKAGES = resolve('proofs/specificity/node_modules');
// Debian has nginx and haproxy among the programs of root.
const ENV = { ...process.env, PATH: `${String(process.env['PATH'])}:/usr/sbin`, TOKEN, NODE_PATH: PACKAGES };

/** Whether a program is on this machine. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['-v'], { stdio: 'ignore', env: ENV }).status === 0;
}

/** A module of Node that tells its parent the port, with the packages of this folder. */
async function startModule(file: string): Promise<Running> {
  const child = fork(file, [], { env: ENV, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [{ port }] = (await Promise.race([once(child, 'message'), failing(child, file)])) as [{ port: number }];
  return running(child, port);
}

/** Prism's command, which serves the examples of a contract. */
async function startPrism(contract: string): Promise<Running> {
  const port = await findPort();
  const args = [join(PACKAGES, '@stoplight/prism-cli/dist/index.js'), 'mock', contract, '-h', '127.0.0.1'];
  return listening(spawn(process.execPath, [...args, '-p', String(port)], { env: ENV, stdio: 'ignore' }), port);
}

/** nginx as a reverse proxy, with what it has by default. @param settings for its `server` */
function startNginx(behind: number, settings = ''): Promise<Running> {
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
function startHaproxy(behind: number): Promise<Running> {
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
  return listening(child, port, () => {
    rmSync(folder, { recursive: true });
  });
}

async function listening(child: ChildProcess, port: number, clean?: () => void): Promise<Running> {
  const failure = failing(child, child.spawnfile);
  while (!(await Promise.race([canConnect(port), failure]))) await setTimeout(20);
  return running(child, port, clean);
}

async function failing(child: ChildProcess, name: string): Promise<never> {
  const [status] = (await once(child, 'exit')) as [number | null];
  throw new Error(`${name} ended with ${String(status)} before it listened`);
}

function canConnect(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${String(port)}`, { method: 'HEAD' }).then(
    () => true,
    () => false,
  );
}

function running(child: ChildProcess, port: number, clean: () => void = () => undefined): Running {
  return {
    base: new URL(`http://127.0.0.1:${String(port)}`),
    async [Symbol.asyncDispose]() {
      // nginx ends its workers at SIGTERM.
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      clean();
    },
  };
}

/** A server that is right, and not like ours: nothing is to be said against it. */
export interface RightServer extends Manner {
  readonly name: string;
  /** A program that has to be on the machine. */
  readonly needs?: string;
  readonly start: () => Promise<Running>;
}

/** A server that others would run: each finding is a fault of it, and each of its faults is found. */
export interface WrongServer extends Omit<RightServer, 'needs'> {
  readonly faults: readonly Fault[];
}

/** Something that is wrong by a standard: read in its text, and tried by hand. */
export interface Fault {
  readonly name: string;
  readonly check: CheckName;
  /** Of the cases that find it. */
  readonly label: RegExp;
}

const PATIENT = 30_000;
// Prism never answers what it cannot parse, and each of these requests is waited for.
const IMPATIENT = 1_000;

const OURS = { secrets: SECRETS, timeout: PATIENT };
const FOREIGN = { secrets: { bearerAuth: TOKEN }, timeout: PATIENT };
const BENCH = { secrets: { bearerAuth: 'a-token-for-the-benchmark' }, timeout: PATIENT };

export const RIGHT_SERVERS: readonly RightServer[] = [
  { ...OURS, name: 'ours behind nginx', needs: 'nginx', start: () => behind(startNginx) },
  { ...OURS, name: 'ours behind haproxy', needs: 'haproxy', start: () => behind(startHaproxy) },
  { ...FOREIGN, name: 'Fastify, by hand', start: () => startModule('proofs/specificity/servers/fastify.js') },
  { ...FOREIGN, name: 'node:http, by hand', start: () => startModule('proofs/specificity/servers/node-http.js') },
];

const INT64: Fault = {
  name: 'beyond int64 accepted',
  check: 'invalid-accepted',
  label: /int64 m|far beyond|\.5$/,
};
const NOT_UTF8: Fault = {
  name: 'bytes that are no UTF-8 accepted',
  check: 'malformed-accepted',
  label: /UTF-8: |Latin-1/,
};
const CODING: Fault = { name: 'a coding ignored', check: 'invalid-accepted', label: /coding/ };
const ABSOLUTE: Fault = { name: '404 to the target in absolute form', check: 'valid-refused', label: /absolute form/ };
const NO_CHALLENGE: Fault = { name: '401 without a challenge', check: 'www-authenticate', label: /./ };
const NO_HEADER: Fault = { name: '401 without its declared header', check: 'declared-header', label: /./ };
const NO_ALLOW: Fault = { name: '405 without Allow', check: 'allow-header', label: /./ };
const SCHEME: Fault = { name: 'the case of `Bearer` counts', check: 'valid-refused', label: /the scheme as/ };

export const WRONG_SERVERS: readonly WrongServer[] = [
  {
    ...BENCH,
    name: 'express-openapi-validator',
    start: () => startModule('proofs/bench/servers/eov-documented.js'),
    faults: [
      ...[INT64, NOT_UTF8, ABSOLUTE, NO_CHALLENGE, NO_HEADER, NO_ALLOW, SCHEME],
      { name: 'errors of another shape', check: 'schema', label: /./ },
    ],
  },
  {
    ...BENCH,
    name: 'fastify-openapi-glue',
    start: () => startModule('proofs/bench/servers/fastify-openapi-glue.js'),
    faults: [
      ...[INT64, NOT_UTF8, CODING, NO_CHALLENGE, NO_HEADER, SCHEME],
      { name: 'types coerced', check: 'invalid-accepted', label: /type, / },
      { name: '500 for bad input', check: 'server-error', label: /no body|no content|the type text\/plain/ },
    ],
  },
  {
    ...BENCH,
    timeout: IMPATIENT,
    name: 'Prism, mocking',
    start: () => startPrism(CONTRACT),
    faults: [
      ...[NOT_UTF8, CODING, NO_ALLOW, SCHEME],
      { name: 'no response to a body that is not JSON', check: 'no-response', label: /./ },
      { name: '2^53 and beyond refused', check: 'valid-refused', label: /int64 m|2\^53/ },
      { name: 'an error code without credentials', check: 'www-authenticate-error', label: /./ },
      { name: 'any token accepted', check: 'unauthorized-accepted', label: /secret/ },
      { name: '500 for a malformed media type', check: 'server-error', label: /the type|Content-Type/ },
    ],
  },
];

async function behind(start: (port: number) => Promise<Running>): Promise<Running> {
  const app = await startApp();
  const proxy = await start(app.port);
  return {
    base: proxy.base,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}
