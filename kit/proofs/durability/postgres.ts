import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { chownSync, rmSync, statSync, writeFileSync, chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { findPort } from '@contract-kit/test-support/listen-on-loopback';
import { createPostgres, untilReady, type PostgresServer } from '@contract-kit/test-support/start-postgres';

const run = promisify(execFile);

/** Copies the data of a server that goes on meanwhile, as a standby that follows it. */
async function copyAsStandby({ url, folder }: PostgresServer, copy: string): Promise<void> {
  // What begins and ends the copy is one connection.
  const client = new Client(url);
  await client.connect();
  await client.query(`SELECT pg_backup_start('standby', true)`);
  // Files may vanish under the hands of cp, which it complains about.
  await run('cp', ['-a', folder, copy]).catch(() => undefined);
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
  await client.end();
  rmSync(join(copy, 'postmaster.pid'), { force: true });
  // What is half copied there comes from the server.
  await run('find', [join(copy, 'pg_wal'), '-type', 'f', '-delete']);
  const { uid, gid } = statSync(copy);
  const files = {
    backup_label: String(rows[0]?.labelfile),
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = '${url}'\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(copy, name), text);
    chownSync(join(copy, name), uid, gid);
  }
}

// The checkpointer, which tells all others to wait for a standby, reads settings a moment later than they do.
const RELOAD_MS = 500;

/** Starts a primary, and a standby that has every commit before it is acknowledged. */
export async function startPair() {
  const parent = mkdtempSync(join(tmpdir(), 'pair-'));
  chmodSync(parent, 0o777);
  const [port, other] = [await findPort(), await findPort()];
  const url = `postgres://postgres:secret@127.0.0.1:${String(port)},127.0.0.1:${String(other)}/postgres`;
  let copies = 0;
  let primary = await createPostgres(join(parent, String(copies)), port);
  await primary.initialise();
  await primary.start();
  let standby: PostgresServer;
  await rebuild();

  async function set(setting: string): Promise<void> {
    await primary.query(`ALTER SYSTEM SET ${setting}`);
    await primary.query('SELECT pg_reload_conf()');
  }

  /** Makes a standby where the killed primary was, of a copy of the primary that goes on meanwhile. */
  async function rebuild(): Promise<void> {
    await set(`wal_keep_size = '1GB'`);
    const copy = join(parent, String(++copies));
    await copyAsStandby(primary, copy);
    standby = await createPostgres(copy, primary.port === port ? other : port);
    // What waits for its start waits for one that takes writes.
    await Promise.race([standby.start(), untilReady(standby.url)]);
    await set(`synchronous_standby_names = '*'`);
    while ((await primary.query(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)).length === 0) {
      await sleep(20);
    }
    await sleep(RELOAD_MS);
  }

  return {
    /** The addresses of both. */
    url,
    /** Of the first primary, and of its standby. */
    ports: [port, other] as const,
    query: (sql: string) => primary.query(sql),
    killPrimary: () => primary.stop('SIGKILL'),
    rebuild,
    /** Makes the standby the primary, which is alone then. */
    promote: async () => {
      await standby.query('SELECT pg_promote()');
      primary = standby;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([primary, standby].map((server) => server.stop('SIGKILL')));
      rmSync(parent, { recursive: true });
    },
  };
}
