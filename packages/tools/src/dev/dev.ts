// The command `dev`: a server that follows the changes of a project.
import { mkdirSync, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { checkTypes } from '../check/check-contract';
import { createCompiler } from '../compile/compiler';
import { toLines } from '../diagnostics/diagnostic';
import { printError } from '../diagnostics/print';
import { ContractErrors, writeGenerated } from '../generate/generate';
import { createRunQueue, watchContract } from './run-queue';
import { createServerProcess } from './server-process';

const CONTRACT = 'openapi.yaml';
const MAIN_FILE = 'dist/main.js';
const CODE = ['src', 'generated'];

/**
 * Watches openapi.yaml, the files that it refers to, src/ and generated/: at each change, makes generated/ anew,
 * compiles, and replaces the running server, until SIGINT or SIGTERM.
 *
 * @param project the path of the tsconfig.json that makes dist/
 * @param keepsGoing whether operations with errors are left out
 * @param root the folder that all files of the contract are in: by default its own
 * @example startDev('tsconfig.json')
 */
export function startDev(project: string, keepsGoing = false, root?: string): void {
  // The versions of all watched files at the last run; undefined if that failed: then the same files are tried again.
  let lastVersions: string | undefined;
  // The last error, and the last notes and advice, without their places: what was told is not told again.
  let lastError: string | undefined;
  let lastNotes = new Set<string>();
  let isStopping = false;

  const compiler = createCompiler(project, MAIN_FILE);
  const server = createServerProcess(MAIN_FILE, (status) => {
    if (isStopping) return;
    lastVersions = undefined;
    printError(`dev: the server ended with ${status}; the next save starts it again`);
  });

  // The last good server runs until the new one is ready. `since` is the time of the change, by `performance.now()`.
  async function rebuild(since: number): Promise<void> {
    try {
      // The contract may refer to other files by now.
      const files = contract.updateFiles();
      const contractVersions = readVersions(files);
      const { written, stubs, notes } = await writeGenerated(keepsGoing, root);
      if (written.length > 0) printError(`dev: wrote generated/ ${written.join(', ')}`);
      const newNotes = notes.filter((line) => !lastNotes.has(withoutPlaces(line)));
      lastNotes = new Set(notes.map(withoutPlaces));
      for (const line of [...stubs, ...newNotes]) printError(`dev: ${line}`);
      // Saved since it was read: what was made of it may be of neither text.
      if (readVersions(files) !== contractVersions) {
        queue.schedule();
        return;
      }
      const versions = readVersions([...files, ...listCode()]);
      // Nothing was saved since the last run, which wrote files itself.
      if (versions === lastVersions) return;
      lastVersions = versions;
      const errors = compiler.compile();
      // Saved while the compiler read, even if the text is by now what it was: no later run may rely on this one.
      const isOutdated = haveFilesChanged(versions);
      if (errors.length > 0) reportError(`${toLines(errors).join('\n')}\ndev: the types do not fit`);
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
    const event = server.isRunning() ? 'swapped' : 'started';
    const errorOutput = await server.swap(() => {
      printError(`dev: ${event} in ${((performance.now() - since) / 1000).toFixed(1)} s`);
      lastError = undefined;
    });
    // The new server is ready.
    if (errorOutput === undefined) return;
    lastVersions = undefined;
    // If files were saved meanwhile, the failure is of no interest: another run follows for them.
    if (!haveFilesChanged(versions)) reportError(`${errorOutput}dev: it would not start`);
  }

  function haveFilesChanged(versions: string | undefined): boolean {
    try {
      return readVersions([...contract.updateFiles(), ...listCode()]) !== versions;
    } catch {
      // A folder disappeared while it was read.
      return true;
    }
  }

  // Errors in the contract are listed together with the code that does not fit it.
  async function describeError(error: Error): Promise<string> {
    if (!(error instanceof ContractErrors)) return error.message;
    const { analysis } = error;
    return toLines([...analysis.errors, ...(await checkTypes(analysis, project))]).join('\n');
  }

  // While dev stops, failures are to be expected.
  function reportError(error: string): void {
    if (isStopping) return;
    const text = error === lastError ? 'dev: the same again' : error;
    lastError = error;
    printError(`${text}\ndev: ${server.isRunning() ? 'the last good server goes on' : 'no server yet'}`);
  }

  // Calls `rebuild` after changes, one run at a time. A server that still starts is ended if its files have changed.
  const queue = createRunQueue(rebuild, () => {
    if (haveFilesChanged(lastVersions)) server.giveUp();
  });
  const contract = watchContract(CONTRACT, queue.schedule, root);
  mkdirSync('generated', { recursive: true });
  const watchers = [...CODE.map((folder) => watch(folder, { recursive: true }, queue.schedule)), contract];

  // The terminal sends SIGINT, Ctrl-C, to the server too, which ends by itself. SIGTERM comes to this process only.
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

/** The files of src/ and generated/, at any depth: what the compiler reads. */
function listCode(): string[] {
  const entries = CODE.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }));
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

/** Tells whether a file was saved, also if its text is the same, or was removed and made again. */
function readVersions(names: readonly string[]): string {
  const versions = names.map((name) => {
    const { ino, mtimeNs } = statSync(name, { bigint: true, throwIfNoEntry: false }) ?? {};
    return [name, String(ino), String(mtimeNs)];
  });
  return JSON.stringify(versions);
}
