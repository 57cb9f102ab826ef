import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { writeContract, writeFiles } from '../../packages/tools/src/new/create-project';
import { makeProjectFiles } from '../../packages/tools/src/new/project-files';

/** What a service of a contract takes, as a process of its own. Times are in milliseconds. */
export interface Figures {
  readonly operations: number;
  readonly generate: number;
  readonly compile: number;
  readonly start: number;
  readonly firstReply: number;
  readonly nextReply: number;
  /** Resident, after the first replies. */
  readonly megabytes: number;
}

const LISTENING = /"url":"([^"]+)"/;
const KB = 1024;

/**
 * Makes a project for a contract, compiles it, starts it, and asks it twice.
 *
 * @param path of a GET without parameters
 * @throws Error with what keeps it from starting
 */
export async function measureLarge(file: string, path: string): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'large-'));
  let server: ChildProcess | undefined;
  try {
    const [generate, contract] = await time(() => writeContract(folder, file));
    writeFiles(folder, await makeProjectFiles('project', contract, { packages: [], changelog: '', modules: '' }));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const [compile] = await time(() => compileProject(folder));
    const env = { PATH: process.env['PATH'], PORT: '0', ADMIN_PORT: '0' };
    const started = spawn(process.execPath, ['dist/main.js'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    server = started;
    const [start, url] = await time(() => readUrl(started));
    const ask = async (): Promise<string> => (await fetch(url + path)).text();
    const [firstReply] = await time(ask);
    const [nextReply] = await time(ask);
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${String(started.pid)}/status`, 'utf8')) ?? [];
    const operations = contract.operations.length;
    return { operations, generate, compile, start, firstReply, nextReply, megabytes: Number(kilobytes) / KB };
  } finally {
    server?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function time<T>(work: () => Promise<T>): Promise<[milliseconds: number, result: T]> {
  const before = performance.now();
  const result = await work();
  return [performance.now() - before, result];
}

async function compileProject(cwd: string): Promise<void> {
  const compiler = require.resolve('typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', 'src'], { cwd });
}

/** The address that it logs when it listens. */
function readUrl(server: ChildProcess): Promise<string> {
  let log = '';
  return new Promise((fulfil, reject) => {
    server.stdout?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const [, url] = LISTENING.exec(log) ?? [];
      if (url !== undefined) fulfil(url);
    });
    server.once('exit', () => {
      reject(new Error(`it ended: ${log}`));
    });
  });
}
