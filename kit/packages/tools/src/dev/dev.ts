import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { checkTypes } from '../check/check-contract';
import { readContractFiles, readContractText } from '../bundle/contract-files';
import { createCompiler } from '../compile/compiler';
import { toErrorLines, printFindings, printStatus, toLines } from '../diagnostics/diagnostic';
import { AnalysisError, writeGenerated } from '../generate/generate';
import { readVersions } from './file-versions';
import { createRunQueue } from './run-queue';
import { createServerProcess } from './server-process';

const CONTRACT = 'openapi.yaml';
const MAIN_FILE = 'dist/main.js';
const HANDLERS_FOLDER = 'src/handlers';
const CODE_FOLDERS = ['src', 'generated'];
// The shortest pause between looks at the files. It is less than SETTLE_MS, so that a run follows a look that found no change.
const MIN_POLL_INTERVAL_MS = 75;
// The maximum share of time that is spent looking at the files, however many there are.
const MAX_POLL_TIME_SHARE = 1 / 20;

/**
 * Runs a server until SIGINT or SIGTERM. Whenever openapi.yaml, a file that it refers to, src/ or generated/ changes,
 * this function generates and compiles the code again, and replaces the server.
 *
 * @param project the path of the tsconfig.json that compiles to dist/
 * @param keepsGoing whether to leave out operations with errors
 * @param root the folder that must contain all files of the contract; by default the contract's own folder
 * @example startDev('tsconfig.json')
 */
export function startDev(project: string, keepsGoing = false, root?: string): void {
  // The versions of all watched files in the last run; undefined if it failed, so that the same files are tried again.
  let lastVersions: string | undefined;
  let lastErrors: string | undefined;
  let lastNotes = '';
  let contractFiles: ReadonlySet<string> = new Set([resolve(CONTRACT)]);
  let hadHandlers = false;
  let isStopping = false;
  let timer: NodeJS.Timeout;

  const compile = createCompiler(project, MAIN_FILE);
  const server = createServerProcess(MAIN_FILE, (status) => {
    if (isStopping) return;
    lastVersions = undefined;
    printStatus('red', `the server exited with ${status}; save a file to start it again`);
  });

  async function rebuild(changeTime: number): Promise<void> {
    try {
      findContractFiles();
      assertFolders();
      const contractVersions = readVersions(contractFiles);
      const { written, stubs, notes } = await writeGenerated(keepsGoing, root);
      if (written.length > 0) printStatus('dim', `wrote ${written.join(', ')} in generated/`);
      for (const line of stubs) printStatus('bold', line);
      if (notes.join('\n') !== lastNotes) printFindings('note', notes);
      lastNotes = notes.join('\n');
      // The contract was saved while it was read, so the generated files may match neither version.
      if (readVersions(contractFiles) !== contractVersions) {
        queue.schedule();
        return;
      }
      const versions = readVersions([...contractFiles, ...CODE_FOLDERS]);
      // This run was triggered only by files that the last run wrote.
      if (versions === lastVersions) return;
      lastVersions = versions;
      const errors = compile();
      // If a file was saved during compilation, it is unknown which version the compiler read, so run again.
      const isOutdated = haveFilesChanged(versions);
      if (errors.length > 0) reportErrors(toLines(errors));
      else if (!isStopping) await swapServer(changeTime, versions);
      if (!isOutdated) return;
      lastVersions = undefined;
      queue.schedule();
    } catch (error) {
      lastVersions = undefined;
      reportErrors(await describeError(error));
    }
  }

  async function swapServer(changeTime: number, versions: string): Promise<void> {
    const event = server.isRunning() ? 'restarted' : 'started';
    const errorOutput = await server.swap(() => {
      const prefix = lastErrors === undefined ? '' : 'mended; ';
      printStatus('green', `${prefix}${event} in ${((performance.now() - changeTime) / 1000).toFixed(1)} s`);
      lastErrors = undefined;
    });
    if (errorOutput === undefined) return;
    lastVersions = undefined;
    // If files were saved in the meantime, the failure does not matter, since another run follows.
    if (!haveFilesChanged(versions)) reportErrors([`the new server did not start\n${errorOutput.trimEnd()}`]);
  }

  function findContractFiles(): void {
    try {
      contractFiles = readContractFiles(readContractText(CONTRACT), CONTRACT, root).paths;
    } catch {
      // writeGenerated reports the error.
    }
  }

  // If a folder was moved away for a moment, newly written files would be in the way when it is moved back.
  function assertFolders(): void {
    const missingFolder = ['src', ...(hadHandlers ? [HANDLERS_FOLDER] : [])].find((folder) => !existsSync(folder));
    if (missingFolder !== undefined)
      throw new Error(`${missingFolder}/ does not exist, so dev writes nothing; create it`);
    hadHandlers ||= existsSync(HANDLERS_FOLDER);
  }

  function haveFilesChanged(versions: string | undefined): boolean {
    return lookAtFiles() !== versions;
  }

  function lookAtFiles(): string {
    try {
      return readVersions([...contractFiles, ...CODE_FOLDERS]);
    } catch (error) {
      // The next run reports the error.
      return (error as Error).message;
    }
  }

  // Polls, because a file system watcher ends with its folder, and misses changes in shared folders.
  function watchFiles(lastLook: string): void {
    const start = performance.now();
    const versions = lookAtFiles();
    if (versions !== lastLook) queue.schedule();
    const pause = Math.max(MIN_POLL_INTERVAL_MS, (performance.now() - start) / MAX_POLL_TIME_SHARE);
    timer = setTimeout(watchFiles, pause, versions);
  }

  // Errors in the contract are listed together with the type errors that follow from it.
  async function describeError(error: unknown): Promise<readonly string[]> {
    if (!(error instanceof AnalysisError)) return toErrorLines(error);
    return toLines([...error.analysis.errors, ...(await checkTypes(error.analysis, project))]);
  }

  function reportErrors(errors: readonly string[]): void {
    if (isStopping) return;
    if (errors.join('\n') === lastErrors) printStatus('red', 'the errors are the same as before');
    else printFindings('error', errors);
    lastErrors = errors.join('\n');
    printStatus('red', server.isRunning() ? 'the previous server keeps running' : 'no server is running');
  }

  // If files have changed, stop a server that is still starting.
  const queue = createRunQueue(rebuild, () => {
    if (haveFilesChanged(lastVersions)) server.killStarting();
  });
  // The terminal also sends SIGINT (Ctrl-C) to the server, which then exits by itself. Only this process gets SIGTERM.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isStopping = true;
      queue.stop();
      clearTimeout(timer);
      if (signal === 'SIGTERM') server.stop();
    });
  }
  watchFiles('');
}
