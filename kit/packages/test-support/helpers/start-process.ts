import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SERVICE_FOLDER } from './service-folder';
import { until } from './until';
import { REFUSALS } from '@contract-kit/server';

/** The line of the log that says where a service listens; its URL is the group. */
export const LISTENING = /"url":"(http:[^"]+)".*"msg":"listening"/;

/** The compiled service as a process of its own, in a folder of its own. */
export interface ServiceProcess extends Disposable {
  readonly child: ChildProcess;
  readonly folder: string;
  /** What it wrote so far. */
  readonly output: { stdout: string; stderr: string };
  /** The exit status, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Waits for a text on either stream. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
}

interface ProcessOptions {
  /** Where standard output goes instead of here. */
  readonly stdout?: 'pipe' | number;
  /** How many file descriptors it may have; as many as this process otherwise. */
  readonly descriptors?: number | undefined;
  /** The script, of another service than the plant store. */
  readonly main?: string;
}

/** @param nodeArgs for node itself, before the script */
export function startProcess(
  env: Record<string, string> = {},
  nodeArgs: readonly string[] = [],
  { stdout = 'pipe', descriptors, main = join(SERVICE_FOLDER, 'dist/main.js') }: ProcessOptions = {},
): ServiceProcess {
  if (!existsSync(main)) throw new Error(`there is no ${main}: npm run build`);
  const folder = mkdtempSync(join(tmpdir(), 'process-'));
  // What runs here counts for coverage too, in `npm run check -- coverage`.
  const coverage = { NODE_V8_COVERAGE: resolve('coverage/process') };
  const limit = descriptors === undefined ? ':' : `ulimit -n ${String(descriptors)}`;
  const child = spawn('sh', ['-c', `${limit} && exec "$@"`, 'sh', process.execPath, ...nodeArgs, resolve(main)], {
    cwd: folder,
    stdio: ['ignore', stdout, 'pipe'],
    env: { PATH: process.env['PATH'], PORT: '0', ADMIN_PORT: '0', ...coverage, ...env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  let isOver = false;
  // When its output has ended, too: all that it wrote is here then.
  const ended = once(child, 'close').then(([status, signal]) => {
    isOver = true;
    return (status ?? signal) as number | string;
  });
  return {
    child,
    folder,
    output,
    ended,
    async waitFor(pattern) {
      for (;;) {
        const found = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
        if (found) return found;
        if (isOver) throw new Error(`it ended: ${output.stdout}${output.stderr}`);
        await setTimeout(5);
      }
    },
    [Symbol.dispose]() {
      child.kill('SIGKILL');
      // Until it has ended it may still make files.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Waits until a service takes no new connections; it says that it stops just before. */
export async function untilNobodyListens(url: string): Promise<void> {
  await until(() =>
    fetch(url).then(
      () => false,
      () => true,
    ),
  );
}

/**
 * As `fetch`, for a client that does what a 503 asks of it: it comes again after Retry-After. On a busy machine a service
 * may be overloaded for a moment. A 503 that says more than that it is unavailable is a reply like any other.
 */
export async function fetchPatiently(url: string, init?: RequestInit): Promise<Response> {
  for (;;) {
    const reply = await fetch(url, init);
    const seconds = Number(reply.headers.get('retry-after'));
    if (reply.status !== 503 || !(await saysNoMore(reply.clone()))) return reply;
    await setTimeout(seconds * 1000);
  }
}

async function saysNoMore(refusal: Response): Promise<boolean> {
  const { message } = (await refusal.json()) as { message?: unknown };
  return message === REFUSALS.SERVICE_UNAVAILABLE.meaning;
}
