import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPort } from '../../support/find-port';
import { findUser, query, toUrl } from '../run-postgres';
import { PROGRAMS, requirePrograms } from './programs';
import { createNode, type ClusterNode, type NodeStatus } from './start-node';

/** Three PostgreSQL servers of which one leads, chosen by patroni and etcd, behind a proxy that knows which. */
export interface Cluster extends AsyncDisposable {
  /** Of whoever leads. */
  readonly url: string;
  /** Asks whoever leads. */
  query<T>(sql: string): Promise<T[]>;
  /** Ends the machine that leads, at once. */
  killLeader(): Promise<ClusterNode>;
  /** Waits until all three run, one leads, and another one has each commit before it is acknowledged. */
  untilWhole(): Promise<void>;
}

const NODES = ['one', 'two', 'three'];
const PATIENCE_MS = 180_000;

/** Starts all of it, on loopback. */
export async function startCluster(): Promise<Cluster> {
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

  const cluster: Cluster = {
    url: toUrl(proxyPort),
    query: (sql) => query(proxyPort, sql),
    async killLeader() {
      const statuses = await Promise.all(nodes.map((node) => node.status()));
      const leader = nodes[statuses.findIndex((status) => status && isLeader(status))];
      if (!leader) throw new Error('nobody leads');
      await leader.kill();
      return leader;
    },
    async untilWhole() {
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
