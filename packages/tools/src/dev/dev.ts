// The command `dev`: a server that follows the changes of a project.
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
 * Watches openapi.yaml, the files that it refers to, and src/: regenerates, compiles, and swaps the running server, until
 * SIGINT or SIGTERM.
 *
 * @param project the path of the tsconfig.json that makes dist/
 * @example startDev('tsconfig.json')
 */
export function startDev(project: string): void {
  // What the last run was about, unless another one about the same might come to something else.
  let seen: string | undefined;
  let isStopping = false;

  const compiler = createCompiler(project, MAIN);
  const server = createServerProcess(MAIN, (status) => {
    if (isStopping) return;
    seen = undefined;
    console.error(`dev: the server ended with ${status}; the next save starts it again`);
  });

  /** Regenerates and compiles; only a new server that is ready takes the place of the last good one. */
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
      if (isStopping) return;
      const event = server.isRunning() ? 'swapped' : 'started';
      const failure = await server.swap(() => {
        console.error(`dev: ${event} in ${((performance.now() - since) / 1000).toFixed(1)} s`);
      });
      if (failure === undefined) return;
      seen = undefined;
      // It may have read files that were saved since, which do not fit what was generated before: a run of their own follows.
      if (!isOutdated(fingerprint)) tellProblem(`${failure}dev: it would not start`);
    } catch (error) {
      seen = undefined;
      tellProblem(await describeError(error as Error));
    }
  }

  function isOutdated(fingerprint: string | undefined): boolean {
    try {
      return createFingerprint('src', contract.renew()) !== fingerprint;
    } catch {
      // A file went while it was read.
      return true;
    }
  }

  /** The code that does not fit is told together with the mistakes in the contract. */
  async function describeError(error: Error): Promise<string> {
    if (!(error instanceof ContractMistakes)) return error.message;
    const { examination } = error;
    return toLines([...examination.mistakes, ...(await checkTypes(examination, project))]).join('\n');
  }

  function tellProblem(problem: string): void {
    if (isStopping) return;
    console.error(`${problem}\ndev: ${server.isRunning() ? 'the last good server goes on' : 'no server yet'}`);
  }

  // A server that never gets ready is not waited for once its files have changed.
  const turns = createTurns(renew, () => {
    if (isOutdated(seen)) server.giveUp();
  });
  const contract = watchContract(CONTRACT, turns.schedule);
  const watchers = [watch('src', { recursive: true }, turns.schedule), contract];

  // The terminal sends Ctrl-C to the server too, which ends by itself.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isStopping = true;
      turns.stop();
      for (const watcher of watchers) watcher.close();
      if (signal === 'SIGTERM') server.stop();
    });
  }
  turns.schedule();
}
