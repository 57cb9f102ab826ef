import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPort } from '../support/find-port';
import { copyAsStandby, initialize } from './copy-postgres';
import { runPostgres, toUrl, type PostgresServer } from './run-postgres';

/** A primary, and a standby that has every commit before it is acknowledged. */
export interface PostgresPair extends AsyncDisposable {
  /** The addresses of both. */
  readonly url: string;
  /** Asks the primary. */
  query<T>(sql: string): Promise<T[]>;
  /** Ends the primary at once. */
  killPrimary(): Promise<void>;
  /** Makes the standby the primary, which is alone then. */
  promote(): Promise<void>;
  /** Makes a standby where the killed primary was, of a copy of the primary that goes on meanwhile. */
  rebuild(): Promise<void>;
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
