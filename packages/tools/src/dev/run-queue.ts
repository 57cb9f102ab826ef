// Runs work when changes have settled, one run at a time.
import { type FSWatcher, existsSync, readFileSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { readContractFiles } from '../bundle/contract-files';

// Several files are often saved at once.
const SETTLE_MS = 100;

export interface RunQueue {
  /** Has a run follow a change. */
  readonly schedule: () => void;
  /** Has no further run begin. */
  readonly stop: () => void;
}

/**
 * Calls `run` once when changes have settled: no other change follows for SETTLE_MS. Changes during a run get another
 * run after it, so that there is only one run at a time.
 *
 * @param run gets the time of its first change by `performance.now()`; its promise must never be rejected
 * @param onWaiting is called when settled changes have to wait for the end of a run
 */
export function createRunQueue(run: (firstChangeTime: number) => Promise<void>, onWaiting: () => void): RunQueue {
  // The times of the changes since the last run began.
  const changeTimes: number[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;
  let isStopped = false;

  function schedule(): void {
    changeTimes.push(performance.now());
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(() => void beginRun(), SETTLE_MS);
  }

  // While a run is under way, tells `onWaiting` instead: the end of that run schedules the next one.
  async function beginRun(): Promise<void> {
    if (isBusy) {
      onWaiting();
      return;
    }
    const [since = performance.now()] = changeTimes.splice(0);
    isBusy = true;
    await run(since);
    isBusy = false;
    if (changeTimes.length > 0) schedule();
  }

  return {
    schedule,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Watches a contract and all files that it refers to, also those that are missing. */
export interface ContractWatcher {
  /** Finds and watches what the contract refers to by now; returns the files that exist, for the caller to compare. */
  readonly updateFiles: () => readonly string[];
  readonly close: () => void;
}

export function watchContract(file: string, onChange: () => void, root?: string): ContractWatcher {
  // By folder: many editors save a file by replacing it, and a watcher of the file would go with the old one.
  const watchers = new Map<string, FSWatcher>();
  let paths: ReadonlySet<string> = new Set([resolve(file)]);

  function updateFiles(): string[] {
    try {
      paths = readContractFiles(readFileSync(file, 'utf8'), file, root).paths;
    } catch {
      // writeGenerated reports the error. Until it is mended, the same files as before are watched.
    }
    for (const folder of new Set([...paths].map(dirname))) {
      if (!existsSync(folder) || watchers.has(folder)) continue;
      const watcher = watch(folder, (_event, name) => {
        if (paths.has(join(folder, String(name)))) onChange();
      });
      watchers.set(folder, watcher);
    }
    return [...paths].filter((path) => existsSync(path));
  }

  updateFiles();
  return {
    updateFiles,
    close() {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
