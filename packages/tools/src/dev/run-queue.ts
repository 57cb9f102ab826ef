// Runs work after changes have settled, one run at a time.
import { type FSWatcher, existsSync, readFileSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { readContractFiles } from '../bundle/contract-files';

// Editors often save several files at once.
const SETTLE_MS = 100;

export interface RunQueue {
  /** Schedules a run after a change. */
  readonly schedule: () => void;
  /** Prevents further runs. */
  readonly stop: () => void;
}

/**
 * Calls `run` once after changes have settled, which means that no change follows for SETTLE_MS. Changes during a run cause
 * another run after it, so that runs never overlap.
 *
 * @param run gets the time of its first change by `performance.now()`, and must never reject
 * @param onWaiting is called when settled changes wait for the end of a run
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

  // During a run, calls `onWaiting` instead; the end of that run schedules the next one.
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

/** Watches a contract and all files that it refers to, including missing ones. */
export interface ContractWatcher {
  /** Watches the files that the contract refers to now, and returns those that exist. */
  readonly updateFiles: () => readonly string[];
  readonly close: () => void;
}

export function watchContract(file: string, onChange: () => void, root?: string): ContractWatcher {
  // Watches folders, since many editors save a file by replacing it, which a watcher of the file would not survive.
  const watchers = new Map<string, FSWatcher>();
  let paths: ReadonlySet<string> = new Set([resolve(file)]);

  function updateFiles(): string[] {
    try {
      paths = readContractFiles(readFileSync(file, 'utf8'), file, root).paths;
    } catch {
      // writeGenerated reports the error. Until it is fixed, the same files as before are watched.
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
