import { existsSync, type FSWatcher, readFileSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readContractFiles } from '../bundle/contract-files';

/** Watches a contract and all files that it refers to, those that are missing included. */
export interface ContractWatcher {
  /**
   * Looks again which files there are.
   *
   * @returns their paths
   */
  readonly renew: () => readonly string[];
  readonly close: () => void;
}

/** @param onChange is called when one of the files changed */
export function watchContract(file: string, onChange: () => void): ContractWatcher {
  // By folder, since many editors save by putting another file in its place.
  const watchers = new Map<string, FSWatcher>();
  let paths: ReadonlySet<string> = new Set([resolve(file)]);

  function renew(): string[] {
    try {
      paths = readContractFiles(readFileSync(file, 'utf8'), file).paths;
    } catch {
      // Whoever generates from it tells what is wrong. Those of the last time are watched on.
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

  renew();
  return {
    renew,
    close() {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
