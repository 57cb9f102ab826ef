// The command `dev`, which runs a server and replaces it whenever the project changes.
import { mkdirSync, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { checkTypes } from '../check/check-contract';
import { createCompiler } from '../compile/compiler';
import { toLines } from '../diagnostics/diagnostic';
import { printError } from '../diagnostics/print';
import { AnalysisError, writeGenerated } from '../generate/generate';
import { createRunQueue, watchContract } from './run-queue';
import { createServerProcess } from './server-process';

const CONTRACT = 'openapi.yaml';
const MAIN_FILE = 'dist/main.js';
const CODE = ['src', 'generated'];

/**
 * Watches openapi.yaml, the files that it refers to, src/ and generated/. After each change, it regenerates, compiles, and
 * replaces the running server, until SIGINT or SIGTERM.
 *
 * @param project the path of the tsconfig.json that compiles to dist/
 * @param keepsGoing whether to leave out operations with errors
 * @param root the folder that must contain all files of the contract; by default the contract's own folder
 * @example startDev('tsconfig.json')
 */
export function startDev(project: string, keepsGoing = false, root?: string): void {
  // The versions of all watched files in the last run; undefined if it failed, so that the same files are tried again.
  let lastVersions: string | undefined;
  // The last error, and the last notes and advice without their places, which are not printed again.
  let lastError: string | undefined;
  let lastNotes = new Set<string>();
  let isStopping = false;

  const compiler = createCompiler(project, MAIN_FILE);
  const server = createServerProcess(MAIN_FILE, (status) => {
    if (isStopping) return;
    lastVersions = undefined;
    printError(`dev: the server exited with ${status}; save a file to start it again`);
  });

  // The previous server runs until the new one is ready. `since` is the time of the change by `performance.now()`.
  async function rebuild(since: number): Promise<void> {
    try {
      // The contract may refer to other files than before.
      const files = contract.updateFiles();
      const contractVersions = readVersions(files);
      const { written, stubs, notes } = await writeGenerated(keepsGoing, root);
      if (written.length > 0) printError(`dev: wrote ${written.join(', ')} in generated/`);
      const newNotes = notes.filter((line) => !lastNotes.has(withoutPlaces(line)));
      lastNotes = new Set(notes.map(withoutPlaces));
      for (const line of [...stubs, ...newNotes]) printError(`dev: ${line}`);
      // The contract was saved while it was read, so the generated files may match neither version.
      if (readVersions(files) !== contractVersions) {
        queue.schedule();
        return;
      }
      const versions = readVersions([...files, ...listCode()]);
      // Only the last run itself wrote files since then.
      if (versions === lastVersions) return;
      lastVersions = versions;
      const errors = compiler.compile();
      // A file was saved while the compiler read it, so no later run may rely on this one, even if the text is the same.
      const isOutdated = haveFilesChanged(versions);
      if (errors.length > 0) reportError(`${toLines(errors).join('\n')}\ndev: the code does not compile`);
      else if (!isStopping) await swap(since, versions);
      if (!isOutdated) return;
      lastVersions = undefined;
      queue.schedule();
    } catch (error) {
      lastVersions = undefined;
      reportError(await describeError(error as Error));
    }
  }

  async function swap(since: number, versions: string): Promise<void> {
    const event = server.isRunning() ? 'restarted' : 'started';
    const errorOutput = await server.swap(() => {
      printError(`dev: ${event} in ${((performance.now() - since) / 1000).toFixed(1)} s`);
      lastError = undefined;
    });
    // The new server is ready.
    if (errorOutput === undefined) return;
    lastVersions = undefined;
    // If files were saved meanwhile, the failure does not matter, since another run follows.
    if (!haveFilesChanged(versions)) reportError(`${errorOutput}dev: the new server did not start`);
  }

  function haveFilesChanged(versions: string | undefined): boolean {
    try {
      return readVersions([...contract.updateFiles(), ...listCode()]) !== versions;
    } catch {
      // A folder was removed while it was read.
      return true;
    }
  }

  // Errors in the contract are listed together with the type errors that follow from it.
  async function describeError(error: Error): Promise<string> {
    if (!(error instanceof AnalysisError)) return error.message;
    const { analysis } = error;
    return toLines([...analysis.errors, ...(await checkTypes(analysis, project))]).join('\n');
  }

  // Failures are expected while dev stops.
  function reportError(error: string): void {
    if (isStopping) return;
    const text = error === lastError ? 'dev: the errors are the same as before' : error;
    lastError = error;
    printError(`${text}\ndev: ${server.isRunning() ? 'the previous server keeps running' : 'no server is running'}`);
  }

  // Calls `rebuild` after changes, one run at a time. A server that is still starting is ended if its files have changed.
  const queue = createRunQueue(rebuild, () => {
    if (haveFilesChanged(lastVersions)) server.giveUp();
  });
  const contract = watchContract(CONTRACT, queue.schedule, root);
  mkdirSync('generated', { recursive: true });
  const watchers = [...CODE.map((folder) => watch(folder, { recursive: true }, queue.schedule)), contract];

  // The terminal sends SIGINT (Ctrl-C) to the server too, which then ends by itself. Only this process gets SIGTERM.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isStopping = true;
      queue.stop();
      for (const watcher of watchers) watcher.close();
      if (signal === 'SIGTERM') server.stop();
    });
  }
  queue.schedule();
}

function withoutPlaces(line: string): string {
  return line.replaceAll(/\b\d+:\d+\b/g, '');
}

/** Lists the files that the compiler reads: those in src/ and generated/, at any depth. */
function listCode(): string[] {
  const entries = CODE.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }));
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

/** Returns a string that changes whenever a file is saved, even with the same text, or is removed and created again. */
function readVersions(names: readonly string[]): string {
  const versions = names.map((name) => {
    const { ino, mtimeNs } = statSync(name, { bigint: true, throwIfNoEntry: false }) ?? {};
    return [name, String(ino), String(mtimeNs)];
  });
  return JSON.stringify(versions);
}
