import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { POSTGRES_BIN } from '../settings';

const VERSIONS = '/usr/lib/postgresql';

/** What a cluster is made of, as Debian installs it. */
export const PROGRAMS = {
  etcd: '/usr/bin/etcd',
  patroni: '/usr/bin/patroni',
  haproxy: '/usr/sbin/haproxy',
  /** The folder of the newest PostgreSQL, with pg_rewind and pg_basebackup, which the npm package lacks. */
  postgres: POSTGRES_BIN ?? join(VERSIONS, newest(), 'bin'),
};

/** @throws Error with what has to be installed */
export function requirePrograms(): void {
  const missing = Object.values(PROGRAMS).filter((program) => !existsSync(program));
  if (missing.length === 0) return;
  throw new Error(
    `there is no ${missing.join(', ')}: apt-get install --no-install-recommends patroni python3-etcd etcd-server haproxy postgresql`,
  );
}

function newest(): string {
  if (!existsSync(VERSIONS)) return 'none';
  return String(
    readdirSync(VERSIONS)
      .sort((a, b) => Number(a) - Number(b))
      .at(-1),
  );
}
