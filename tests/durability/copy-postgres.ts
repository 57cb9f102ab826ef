import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { PROGRAMS, runAsPostgres } from './run-postgres';

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
export async function copyAsStandby(server: string, folder: string, copy: string): Promise<void> {
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
