import { mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, type ServiceProcess } from '@contract-kit/test-support/start-process';

/** One attack on the compiled service, in a process of its own. */
export interface Attack {
  readonly name: string;
  /** Carries it out and tells what was measured. */
  readonly run: () => Promise<readonly Figure[]>;
}

/** What was measured, beside its bound. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly atMost: number;
  /** Such as `s`, `MB` or `connections`. */
  readonly unit: string;
}

/** @example isHeld({ what: 'next request', value: 0.2, atMost: 5, unit: 's' }) // true */
export function isHeld({ value, atMost }: Figure): boolean {
  return value <= atMost;
}

/** Accepted by every target. */
export const TOKEN = 'a-token-for-the-attacks';
export const PLANT = '{"id":1,"name":"Rose"}';

export type Target = Awaited<ReturnType<typeof startTarget>>;

const STAND_IN = resolve('proofs/attack/stand-in.js');
const LISTENING = /"url":"(http:\/\/127\.0\.0\.1:(\d+))".*"admin":"(http:[^"]+)".*"msg":"listening"/;
const KB_IN_A_MB = 1024;
// USER_HZ, which is 100 on every Linux that Node runs on.
const TICKS_IN_A_SECOND = 100;

/**
 * Starts the compiled service that is attacked.
 *
 * @param nodeArgs for node itself, such as a limit of memory
 * @param descriptors how many file descriptors it may have
 */
export async function startTarget(
  env: Record<string, string> = {},
  nodeArgs: readonly string[] = [],
  descriptors?: number,
) {
  const process = startProcess({ API_TOKENS: TOKEN, NODE_V8_COVERAGE: '', ...env }, nodeArgs, { descriptors });
  const [, url = '', port = '', admin = ''] = await process.waitFor(LISTENING);
  return {
    url,
    port: Number(port),
    /** The address of the admin port. */
    admin,
    process,
    /** Resident memory now, in MB. */
    memory: () => readStatus(process, 'VmRSS') / KB_IN_A_MB,
    /** The largest resident memory so far, in MB. */
    peakMemory: () => readStatus(process, 'VmHWM') / KB_IN_A_MB,
    /** How many file descriptors it has open. */
    descriptors: () => readdirSync(`/proc/${String(process.child.pid)}/fd`).length,
    /** Seconds of CPU so far. */
    cpu: () => readTicks(process) / TICKS_IN_A_SECOND,
    /** Creates a plant, and tells how long that took, in seconds. Infinity when it was not answered with 200 in time. */
    postPlant: (seconds = 60) => timePost(url, seconds),
    [Symbol.dispose]() {
      process[Symbol.dispose]();
    },
  };
}

// https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
function readStatus({ child }: ServiceProcess, field: string): number {
  const text = readFileSync(`/proc/${String(child.pid)}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]);
}

// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: user and system time are the fields 14 and 15.
function readTicks({ child }: ServiceProcess): number {
  const text = readFileSync(`/proc/${String(child.pid)}/stat`, 'utf8');
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return Number(user) + Number(system);
}

async function timePost(url: string, seconds: number): Promise<number> {
  const start = performance.now();
  while (secondsSince(start) < seconds) {
    const status = await post(url, { Connection: 'close' }, PLANT, AbortSignal.timeout(seconds * 1000)).catch(() => 0);
    if (status === 200) return secondsSince(start);
    await sleep(20);
  }
  return Infinity;
}

/** Creates a plant with the token, unless the headers have another one, and tells the status of the reply. */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body = PLANT,
  signal: AbortSignal | null = null,
): Promise<number> {
  const all = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers };
  const reply = await fetch(`${url}/plants`, { method: 'POST', headers: all, body, signal });
  await reply.arrayBuffer();
  return reply.status;
}

/** The seconds since a moment. */
export function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

/**
 * Starts the stand-in service of a contract: an operation whose name begins with `echo` replies with its body, `take` with 204,
 * `hang` never, `stall` with a stream that stops after its first bytes, and `collect` when garbage is collected (`--expose-gc`).
 *
 * @param contract the text of the contract, with the scheme `bearerAuth` or none
 */
export async function startStandIn(
  contract: string,
  nodeArgs: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Target> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'attack-'));
  const file = join(folder.path, 'openapi.yaml');
  writeFileSync(file, contract);
  // Node runs the first script; the plant store, which comes after it, is only an argument.
  return await startTarget({ CONTRACT: file, ...env }, [...nodeArgs, STAND_IN]);
}
