// Runs quick reads on the main thread, because sending their rows between threads takes longer than reading them.
import { performance } from 'node:perf_hooks';
import type { Result, ReturnedRow } from '../queue';
import type { Sql } from '../statement';
import { createStatements, MAX_STATEMENTS, openReader, startMeter } from './commit';
import { guardFiles, type FileIdentity } from './guard';

export interface QuickReads {
  /** @returns the rows; undefined if the thread has to read them, because that may be slow or failed here */
  read(sql: Sql): readonly ReturnedRow[] | undefined;
  observe(sql: Sql, result: Result | undefined): void;
  close(): void;
}

const QUICK_MS = 1;
// After a run of 5 ms, the thread runs the statement for 5 s, so it blocks the main thread a thousandth of the time.
const PENALTY = 1_000;
const FAILURE_MS = 2;
// Garbage collection takes less than this, so a longer run means that the statement is slow with some values.
const PAUSE_MS = 50;

// Inspecting the files takes longer than reading a row.
const CHECK_MS = 5;

interface Connection {
  read(sql: Sql): readonly ReturnedRow[] | undefined;
  close(): void;
}

/** Runs a statement on the main thread if its last run was quick. */
export function createQuickReads(file: string, identity: FileIdentity): QuickReads {
  // From when each statement may run here, by its text.
  const quickFrom = new Map<string, number>();
  let connection: Connection | undefined;
  let isClosed = false;

  function note(text: string, milliseconds: number): void {
    if (quickFrom.size >= MAX_STATEMENTS) quickFrom.clear();
    quickFrom.set(text, performance.now() + (milliseconds > QUICK_MS ? PENALTY * milliseconds : 0));
  }

  return {
    observe({ text }, result) {
      // A quick run in the thread does not make a statement quick, because it may be slow with other values.
      const isSlow = Number(quickFrom.get(text)) - performance.now() > PENALTY * PAUSE_MS;
      if (result && 'milliseconds' in result && !isSlow) note(text, result.milliseconds);
    },
    read(sql) {
      const from = quickFrom.get(sql.text);
      if (from === undefined || from > performance.now() || isClosed) return undefined;
      connection ??= attempt(() => connect(file, identity, note));
      const rows = attempt(() => connection?.read(sql));
      if (!rows) note(sql.text, FAILURE_MS);
      return rows;
    },
    close() {
      isClosed = true;
      connection?.close();
    },
  };
}

// After a failure here, the thread tries again, and waits for locks.
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** @param noteSlow gets the duration of a slow statement, which may include quick ones before it */
function connect(
  file: string,
  identity: FileIdentity,
  noteSlow: (text: string, milliseconds: number) => void,
): Connection {
  const database = openReader(file, 0);
  const guard = guardFiles(database, file, identity);
  const run = createStatements(database);
  let checked = -Infinity;
  let measure = startMeter();
  return {
    read({ text, values }) {
      const start = performance.now();
      if (start - checked > CHECK_MS) {
        if (guard.findFault() !== undefined) return undefined;
        checked = start;
        measure = startMeter();
      }
      const rows = run(text, values);
      // The meter is expensive, so it starts only with each inspection of the files.
      if (performance.now() - start > QUICK_MS) noteSlow(text, measure());
      return rows;
    },
    close() {
      database.close();
    },
  };
}
