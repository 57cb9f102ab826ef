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
 * Watches openapi.yaml, the files that it refers to, and src/: regenerates, compiles, and swaps the running server,
 * until SIGINT or SIGTERM.
 *
 * @param project the path of the tsconfig.json that makes dist/
 * @example startDev('tsconfig.json')
 */
export function startDev(project: string): void {
  // Of the files of the last run; undefined if another run of the same files may have another result.
  let lastFingerprint: string | undefined;
  let isStopping = false;

  const compiler = createCompiler(project, MAIN);
  const server = createServerProcess(MAIN, (status) => {
    if (isStopping) return;
    lastFingerprint = undefined;
    console.error(`dev: the server ended with ${status}; the next save starts it again`);
  });

  /** Regenerates and compiles; only a new server that is ready replaces the last good one. */
  async function rebuild(since: number): Promise<void> {
    try {
      const files = contract.updateFiles();
      const written = await writeGenerated();
      if (written.length > 0) console.error(`dev: wrote generated/ ${written.join(', ')}`);
      for (const line of await writeStubs()) console.error(`dev: ${line}`);
      const fingerprint = createFingerprint('src', files);
      // Nothing changed: the last run wrote the stubs itself, or an editor saved the same text.
      if (fingerprint === lastFingerprint) return;
      lastFingerprint = fingerprint;
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
      lastFingerprint = undefined;
      // It may have failed since files were saved meanwhile. Another run follows for them.
      if (!isOutdated(fingerprint)) tellProblem(`${failure}dev: it would not start`);
    } catch (error) {
      lastFingerprint = undefined;
      tellProblem(await describeError(error as Error));
    }
  }

  function isOutdated(fingerprint: string | undefined): boolean {
    try {
      return createFingerprint('src', contract.updateFiles()) !== fingerprint;
    } catch {
      // A file disappeared while it was read.
      return true;
    }
  }

  /** Lists mistakes in the contract together with the code that does not fit it. */
  async function describeError(error: Error): Promise<string> {
    if (!(error instanceof ContractMistakes)) return error.message;
    const { examination } = error;
    return toLines([...examination.mistakes, ...(await checkTypes(examination, project))]).join('\n');
  }

  function tellProblem(problem: string): void {
    if (isStopping) return;
    console.error(`${problem}\ndev: ${server.isRunning() ? 'the last good server goes on' : 'no server yet'}`);
  }

  // Do not wait for a server to get ready when its files have changed meanwhile.
  const turns = createTurns(rebuild, () => {
    if (isOutdated(lastFingerprint)) server.giveUp();
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
