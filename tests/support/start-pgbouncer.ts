import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPort } from './find-port';
import { untilReady } from './start-postgres';

/** A pooler in transaction mode before a server. */
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
export async function startPgbouncer(server: string): Promise<RunningPgbouncer> {
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
pool_mode = transaction
default_pool_size = ${String(CONNECTIONS)}
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
