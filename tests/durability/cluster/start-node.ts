import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { findPort } from '../../support/find-port';
import { findUser } from '../run-postgres';
import { PROGRAMS } from './programs';

/** One machine of a cluster: a PostgreSQL, and the patroni that decides what it is. */
export interface ClusterNode {
  readonly name: string;
  readonly postgresPort: number;
  /** Where patroni says what its PostgreSQL is. */
  readonly statusPort: number;
  /** Starts both; what there is of data is repaired or copied from the leader. */
  start(): void;
  /** Ends both at once, as when a machine dies. */
  kill(): Promise<void>;
  /** What patroni says of its PostgreSQL, such as `primary` and `running`; undefined when it says nothing. */
  status(): Promise<NodeStatus | undefined>;
}

/** As GET /patroni has it. */
export interface NodeStatus {
  readonly role: string;
  readonly state: string;
  readonly replication?: readonly { readonly sync_state: string; readonly state: string }[];
}

const HOST = '127.0.0.1';
// The least that patroni takes: after so many seconds without a word of the leader, another one is chosen.
const DCS = { ttl: 20, loop_wait: 1, retry_timeout: 3, maximum_lag_on_failover: 1_048_576 };
const ACCESS = { username: 'postgres', password: 'secret' };

/** @param folder of the node, which the user of PostgreSQL may write to */
export async function createNode(name: string, folder: string, etcdPort: number): Promise<ClusterNode> {
  const [postgresPort, statusPort] = [await findPort(), await findPort()];
  const data = join(folder, 'data');
  const settings = join(folder, 'patroni.yml');
  const log = join(folder, 'patroni.log');
  writeFileSync(settings, stringify(toSettings(name, data, { etcdPort, postgresPort, statusPort })), { mode: 0o644 });
  let patroni: ChildProcess | undefined;

  return {
    name,
    postgresPort,
    statusPort,
    start() {
      const output = openSync(log, 'a');
      patroni = spawn(PROGRAMS.patroni, [settings], { cwd: folder, stdio: ['ignore', output, output], ...findUser() });
      closeSync(output);
    },
    async kill() {
      const isRunning = patroni?.exitCode === null && patroni.signalCode === null;
      if (patroni && isRunning && patroni.kill('SIGKILL')) await once(patroni, 'exit');
      const postmaster = readPostmaster(data);
      // Its processes end when they notice that it is gone.
      if (postmaster) killQuietly(postmaster);
    },
    status: () => readStatus(statusPort),
  };
}

function toSettings(name: string, data: string, ports: Record<'etcdPort' | 'postgresPort' | 'statusPort', number>) {
  const toAddress = (port: number): string => `${HOST}:${String(port)}`;
  return {
    scope: 'cluster',
    name,
    restapi: { listen: toAddress(ports.statusPort), connect_address: toAddress(ports.statusPort) },
    etcd3: { host: toAddress(ports.etcdPort) },
    bootstrap: {
      // A commit is acknowledged when a standby has it, too, and never without one.
      dcs: { ...DCS, synchronous_mode: true, synchronous_mode_strict: true, postgresql: { use_pg_rewind: true } },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: toAddress(ports.postgresPort),
      connect_address: toAddress(ports.postgresPort),
      data_dir: data,
      bin_dir: PROGRAMS.postgres,
      pgpass: join(data, '../pgpass'),
      authentication: { superuser: ACCESS, replication: ACCESS, rewind: ACCESS },
      parameters: { unix_socket_directories: '', wal_keep_size: '1GB' },
      pg_hba: [`host all all ${HOST}/32 scram-sha-256`, `host replication all ${HOST}/32 scram-sha-256`],
    },
  };
}

function readPostmaster(data: string): number | undefined {
  try {
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  } catch {
    return undefined;
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

async function readStatus(port: number): Promise<NodeStatus | undefined> {
  try {
    return (await (await fetch(`http://${HOST}:${String(port)}/patroni`)).json()) as NodeStatus;
  } catch {
    return undefined;
  }
}
