// Runs quick reads on the main thread, because sending their rows between threads takes longer than reading them.
import { performance } from 'node:perf_hooks';
import type { Result, ReturnedRow } from '../queue';
import type { Sql } from '../statement';
import { createStatements, MAX_STATEMENTS, openReader, startMeter } from './commit';
import { guardFiles, type FileIdentity } from './guard';

export interface QuickReads {
  /** @returns undefined if the thread has to read the rows, because reading might be slow or has failed here */
  read(sql: Sql): readonly ReturnedRow[] | undefined;
  observe(sql: Sql, result: Result | undefined): void;
  close(): void;
}

const QUICK_MS = 1;
// A slow statement stays in the thread for this many times its duration, so it blocks the main thread 0.1 % of the time.
const PENALTY_FACTOR = 1_000;
const FAILURE_PENALTY_MS = 2;
// The longest time that garbage collection takes. A statement that takes longer is slow with some values.
const MAX_GC_MS = 50;

// The time between two checks of the files, because a check takes longer than reading a row.
const CHECK_MS = 5;

interface Connection {
  read(sql: Sql): readonly ReturnedRow[] | undefined;
  close(): void;
}

/** Runs a statement on the main thread if its last run was quick. */
export function createQuickReads(file: string, identity: FileIdentity): QuickReads {
  // The time from which each statement can run on the main thread, keyed by its text.
  const quickSinceByText = new Map<string, number>();
  let connection: Connection | undefined;
  let isClosed = false;

  function recordDuration(text: string, milliseconds: number): void {
    if (quickSinceByText.size >= MAX_STATEMENTS) quickSinceByText.clear();
    quickSinceByText.set(text, performance.now() + (milliseconds > QUICK_MS ? PENALTY_FACTOR * milliseconds : 0));
  }

  return {
    observe({ text }, result) {
      // A quick run in the thread does not end a long penalty, because the statement can be slow with other values.
      const hasLongPenalty = Number(quickSinceByText.get(text)) - performance.now() > PENALTY_FACTOR * MAX_GC_MS;
      if (result && 'milliseconds' in result && !hasLongPenalty) recordDuration(text, result.milliseconds);
    },
    read(sql) {
      const from = quickSinceByText.get(sql.text);
      if (from === undefined || from > performance.now() || isClosed) return undefined;
      connection ??= attempt(() => connect(file, identity, recordDuration));
      const rows = attempt(() => connection?.read(sql));
      if (!rows) recordDuration(sql.text, FAILURE_PENALTY_MS);
      return rows;
    },
    close() {
      isClosed = true;
      connection?.close();
    },
  };
}

// If a read fails here, the thread tries it again, and waits for locks.
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** @param recordSlow takes the duration of a slow statement, which can include earlier quick ones */
function connect(
  file: string,
  identity: FileIdentity,
  recordSlow: (text: string, milliseconds: number) => void,
): Connection {
  const database = openReader(file, 0);
  const guard = guardFiles(database, file, identity);
  const run = createStatements(database);
  let lastCheck = -Infinity;
  let measure = startMeter();
  return {
    read({ text, values }) {
      const start = performance.now();
      if (start - lastCheck > CHECK_MS) {
        if (guard.findFault() !== undefined) return undefined;
        lastCheck = start;
        measure = startMeter();
      }
      const rows = run(text, values);
      // Starting a meter is expensive, so it restarts only when the files are checked.
      if (performance.now() - start > QUICK_MS) recordSlow(text, measure());
      return rows;
    },
    close() {
      database.close();
    },
  };
}
