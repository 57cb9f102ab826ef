// The command `dev`: a server that follows the changes of a project.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { checkTypes } from './check-types';
import { createCompiler } from './compiler';
import { createFingerprint } from './fingerprint';
import { createServerProcess } from './server-process';
import { createTurns } from './turns';
import { watchContract } from './watch-contract';
import { toLines } from '../generate/finding';
import { ContractMistakes } from '../generate/generate';
import { writeGenerated } from '../generate/write-generated';
import { writeStubs } from '../generate/write-stubs';

const CONTRACT = 'openapi.yaml';
const MAIN = 'dist/main.js';

/**
 * Watches openapi.yaml, the files that it refers to, and src/: regenerates, compiles, tries the start, and swaps the running server, until SIGINT or
 * SIGTERM.
 *
 * @param project the path of the tsconfig.json that makes dist/
 * @example startDev('tsconfig.json')
 */
export function startDev(project: string): void {
  // What the last run was about, unless another one about the same might come to something else.
  let seen: string | undefined;

  const compiler = createCompiler(project, MAIN);
  const server = createServerProcess([MAIN], (status) => {
    seen = undefined;
    console.error(`dev: the server ended with ${status}; the next save starts it again`);
  });

  /** Regenerates, compiles and tries the start; only when all went well does a new server take the place of the last good one. */
  async function renew(since: number): Promise<void> {
    try {
      const files = contract.renew();
      const written = await writeGenerated();
      if (written.length > 0) console.error(`dev: wrote generated/ ${written.join(', ')}`);
      for (const line of await writeStubs()) console.error(`dev: ${line}`);
      const fingerprint = createFingerprint('src', files);
      // The stubs are a change of their own, and some editors save what is as it was.
      if (fingerprint === seen) return;
      seen = fingerprint;
      const problems = compiler.compile();
      if (problems.length > 0) {
        tellProblem(`${toLines(problems).join('\n')}\ndev: the types do not fit`);
        return;
      }
      // The ports are those of the last good server.
      const env = { ...process.env, PORT: '0', ADMIN_PORT: '0' };
      const check = spawn(process.execPath, [MAIN, '--check'], { stdio: ['ignore', 'ignore', 'inherit'], env });
      const [status] = (await once(check, 'exit')) as [number | null];
      if (status !== 0) throw new Error('dev: it would not start');
      await server.swap(tellTime);
    } catch (error) {
      seen = undefined;
      tellProblem(await describeError(error as Error));
    }

    function tellTime(gap: number | undefined): void {
      const time = `${toSeconds(performance.now() - since)} s`;
      const swapped = `swapped in ${time}; for ${toSeconds(gap ?? 0)} s of it nobody listened`;
      console.error(`dev: ${gap === undefined ? `started in ${time}` : swapped}`);
    }
  }

  /** The code that does not fit is told together with the mistakes in the contract. */
  async function describeError(error: Error): Promise<string> {
    if (!(error instanceof ContractMistakes)) return error.message;
    const { examination } = error;
    return toLines([...examination.mistakes, ...(await checkTypes(examination, project))]).join('\n');
  }

  function tellProblem(problem: string): void {
    console.error(`${problem}\ndev: ${server.isRunning() ? 'the last good server goes on' : 'no server yet'}`);
  }

  function toSeconds(milliseconds: number): string {
    return (milliseconds / 1000).toFixed(1);
  }

  const turns = createTurns(renew);
  const contract = watchContract(CONTRACT, turns.schedule);
  const watchers = [watch('src', { recursive: true }, turns.schedule), contract];

  // The terminal sends Ctrl-C to the server too, which ends by itself.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      turns.stop();
      server.close();
      for (const watcher of watchers) watcher.close();
      if (signal === 'SIGTERM') void server.stop();
    });
  }
  turns.schedule();
}
