import { existsSync, type FSWatcher, readFileSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readContractFiles } from '../bundle/contract-files';

/** Watches a contract and all files that it refers to, also those that are missing. */
export interface ContractWatcher {
  /** Finds and watches what the contract refers to by now; returns the files that exist, for the caller to compare. */
  readonly updateFiles: () => readonly string[];
  readonly close: () => void;
}

export function watchContract(file: string, onChange: () => void): ContractWatcher {
  // By folder: many editors save a file by replacing it, and a watcher of the file would go with the old one.
  const watchers = new Map<string, FSWatcher>();
  let paths: ReadonlySet<string> = new Set([resolve(file)]);

  function updateFiles(): string[] {
    try {
      paths = readContractFiles(readFileSync(file, 'utf8'), file).paths;
    } catch {
      // writeGenerated reports the mistake. Until it is mended, the same files as before are watched.
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
