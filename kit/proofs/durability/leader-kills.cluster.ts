import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
  closeSync,
  openSync,
  readFileSync,
  existsSync,
  readdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPort } from '@contract-kit/test-support/listen-on-loopback';
import { query } from '@contract-kit/test-support/start-postgres';
import { stringify } from 'yaml';
import { readPlants } from './ledger';
import { ROUNDS } from './random';
import { takeAgainAndAgain } from './rounds';

test('three PostgreSQL with patroni, the leader killed', async () => {
  await using cluster = await startCluster();
  let killed: ClusterNode | undefined;
  await takeAgainAndAgain(
    Math.min(10, ROUNDS),
    { url: cluster.url, rows: () => readPlants(cluster) },
    {
      pause: [500, 2_000],
      async begin() {
        killed = await cluster.killLeader();
      },
      async mend() {
        killed?.start();
        await cluster.untilWhole();
      },
    },
  );
});

const NODES = ['one', 'two', 'three'];
const PATIENCE_MS = 180_000;

/** Starts three PostgreSQL servers of which one leads, chosen by patroni and etcd, behind a proxy that knows which. */
async function startCluster() {
  requirePrograms();
  const parent = mkdtempSync(join(tmpdir(), 'cluster-'));
  chmodSync(parent, 0o755);
  const etcdPort = await findPort();
  const programs = [await startEtcd(parent, etcdPort)];
  const nodes: ClusterNode[] = [];
  for (const name of NODES) nodes.push(await createNode(name, makeFolder(parent, name), etcdPort));
  const proxyPort = await findPort();
  programs.push(startProxy(parent, proxyPort, nodes));
  for (const node of nodes) node.start();

  const url = `postgres://postgres:secret@${HOST}:${String(proxyPort)}/postgres`;
  const cluster = {
    url,
    query: (sql: string) => query(url, sql),
    /** Ends the machine that leads, at once. */
    async killLeader(): Promise<ClusterNode> {
      const statuses = await Promise.all(nodes.map((node) => node.status()));
      const leader = nodes[statuses.findIndex((status) => status && isLeader(status))];
      if (!leader) throw new Error('nobody leads');
      await leader.kill();
      return leader;
    },
    /** Waits until all three run, one leads, and another one has each commit before it is acknowledged. */
    async untilWhole(): Promise<void> {
      const end = performance.now() + PATIENCE_MS;
      while (!isWhole(await Promise.all(nodes.map((node) => node.status())))) {
        if (performance.now() > end) throw new Error('the cluster does not become whole');
        await sleep(200);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.kill()));
      await Promise.all(programs.map(end));
      // What notices late that its server is gone may still write.
      rmSync(parent, { recursive: true, force: true, maxRetries: 20 });
    },
  };
  try {
    await cluster.untilWhole();
    return cluster;
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

function isLeader({ role }: NodeStatus): boolean {
  return role === 'master' || role === 'primary';
}

function isWhole(statuses: readonly (NodeStatus | undefined)[]): boolean {
  const leaders = statuses.filter((status) => status && isLeader(status));
  const standbys = leaders[0]?.replication?.filter(({ state }) => state === 'streaming') ?? [];
  return (
    leaders.length === 1 &&
    statuses.every((status) => status?.state === 'running' || status?.state === 'streaming') &&
    standbys.length === NODES.length - 1 &&
    standbys.some(({ sync_state: state }) => state === 'sync')
  );
}

const USER = 'postgres';

/** Who may run a server: root cannot, but can make somebody who can. */
function findUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  if (spawnSync('id', [USER]).status !== 0) execFileSync('useradd', ['--user-group', USER]);
  const read = (option: string): number => Number(execFileSync('id', [option, USER], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}

function makeFolder(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  const { uid, gid } = findUser();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

async function startEtcd(parent: string, port: number): Promise<ChildProcess> {
  const [client, peer] = [port, await findPort()].map((one) => `http://127.0.0.1:${String(one)}`);
  const options = {
    'data-dir': join(parent, 'etcd'),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${String(peer)}`,
    'log-level': 'error',
  };
  return spawn(
    PROGRAMS.etcd,
    Object.entries(options).map(([name, value]) => `--${name}=${String(value)}`),
    { stdio: 'ignore' },
  );
}

// As the documentation of patroni has it: who leads says so to the proxy.
function startProxy(parent: string, port: number, nodes: readonly ClusterNode[]): ChildProcess {
  const settings = join(parent, 'haproxy.cfg');
  const servers = nodes.map(
    ({ name, postgresPort, statusPort }) =>
      `  server ${name} 127.0.0.1:${String(postgresPort)} check port ${String(statusPort)}`,
  );
  writeFileSync(
    settings,
    `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen postgres
  bind 127.0.0.1:${String(port)}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  );
  return spawn(PROGRAMS.haproxy, ['-q', '-f', settings], { stdio: 'ignore' });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
}

/** One machine of a cluster: a PostgreSQL, and the patroni that decides what it is. */
interface ClusterNode {
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
interface NodeStatus {
  readonly role: string;
  readonly state: string;
  readonly replication?: readonly { readonly sync_state: string; readonly state: string }[];
}

const HOST = '127.0.0.1';
// The least that patroni takes: after so many seconds without a word of the leader, another one is chosen.
const DCS = { ttl: 20, loop_wait: 1, retry_timeout: 3, maximum_lag_on_failover: 1_048_576 };
const ACCESS = { username: 'postgres', password: 'secret' };

/** @param folder of the node, which the user of PostgreSQL may write to */
async function createNode(name: string, folder: string, etcdPort: number): Promise<ClusterNode> {
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

const VERSIONS = '/usr/lib/postgresql';

/** What a cluster is made of, as Debian installs it. */
const PROGRAMS = {
  etcd: '/usr/bin/etcd',
  patroni: '/usr/bin/patroni',
  haproxy: '/usr/sbin/haproxy',
  /** The folder of the newest PostgreSQL, with pg_rewind and pg_basebackup, which the npm package lacks. */
  postgres: join(VERSIONS, newest(), 'bin'),
};

/** @throws Error with what has to be installed */
function requirePrograms(): void {
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
